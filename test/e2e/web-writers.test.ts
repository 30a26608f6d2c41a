import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { random } from "../kit/random.ts";
import { askWith } from "./ask.ts";
import { type AppOfPerson, openAs, stageFor } from "./stage.ts";
import { createDocument, markdown, textField } from "./steps.ts";

// Two tabs and an assistant write one document at once, over a network that loses requests and answers, and tabs are
// reloaded at any moment. Every word that was typed is in the document or in one of its versions, and the version that it
// first appears in belongs to its writer, the person or the assistant.

const SEEDS = (process.env.WRITERS_SEEDS ?? "1").split(",").map(Number);
const STEPS = Number(process.env.WRITERS_STEPS ?? 24);
const TIMEOUT = 600_000;

let person: AppOfPerson;
/** The key of the assistant. */
let key: string;

const stage = stageFor({}, async (set) => {
  person = await openAs(set);
  const scopes = ["docs:read", "docs:write"];
  key = (await person.ask<{ key: string }>("POST", "/api/api-keys", { name: "Assistant", scopes })).key;
});

type Writer = "person" | "api_key";
type Found = { id: string; version: number; content: { text: string } };

/** Keeps both texts wherever two writers have changed one passage. Returns how many questions that took. */
async function decide(page: Page): Promise<number> {
  const look = page.getByRole("button", { name: "Compare", exact: true });
  const both = page.getByRole("button", { name: "Keep both" });
  for (let questions = 0; ; questions++) {
    // A question may disappear at any moment, because the other tab has decided.
    for (const button of [look, both])
      for (const one of await button.elementHandles()) await one.evaluate((shown) => shown.click());
    await textField(page).or(both).first().waitFor();
    if (!(await both.isVisible()) && !(await look.isVisible())) return questions;
  }
}

class World {
  /** What was written, and by whom. */
  readonly words = new Map<string, Writer>();
  /** How often it was asked which of two texts is right. */
  questions = 0;
  readonly next: () => number;
  readonly id: string;
  readonly tabs: Page[];

  constructor(seed: number, id: string, tabs: Page[]) {
    this.next = random(seed);
    this.id = id;
    this.tabs = tabs;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  word(writer: Writer): string {
    const word = `word${this.words.size}x`;
    this.words.set(word, writer);
    return word;
  }

  tab(): Page {
    return this.tabs[this.below(this.tabs.length)] as Page;
  }
}

type Step = (world: World) => Promise<unknown>;

/** Types a word in a line of its own, or into another one. */
const type: Step = async (world) => {
  const page = world.tab();
  world.questions += await decide(page);
  await textField(page).press("Control+Home");
  for (let line = world.below(8); line > 0; line--) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  if (world.next() < 0.6) await page.keyboard.press("Enter");
  await page.keyboard.insertText(` ${world.word("person")}`);
};

const save: Step = async (world) => {
  const page = world.tab();
  await page.keyboard.press("Control+s");
};

const assist: Step = async (world) => {
  const word = world.word("api_key");
  const path = `/api/documents/${world.id}`;
  for (let isSaved = false; !isSaved; ) {
    const { version, content } = await askWith(stage.service.apiUrl, key)<Found>("GET", path);
    const lines = content.text.split("\n");
    lines.splice(world.below(lines.length + 1), 0, `- ${word}`);
    const based = askWith(stage.service.apiUrl, key, { "If-Match": `"v${version}"` });
    isSaved = await based("PUT", path, { content: markdown(lines.join("\n")) }).then(
      () => true,
      (problem: Error) => {
        expect(problem.message).toContain(": 412 ");
        return false;
      },
    );
  }
};

/** What happens to the next write of a tab. */
const WEATHER: Record<string, (route: Route) => Promise<void>> = {
  lost: (route) => route.abort(),
  unanswered: async (route) => {
    await route.fetch();
    await route.abort();
  },
  busy: (route) => route.fulfill({ status: 503, headers: { "Retry-After": "1" }, json: { detail: "Busy" } }),
};

const storm: Step = async (world) => {
  const kinds = Object.values(WEATHER);
  const weather = kinds[world.below(kinds.length)] as (route: Route) => Promise<void>;
  let left = 1 + world.below(2);
  await world
    .tab()
    .route(`**/api/documents/${world.id}`, (route) =>
      route.request().method() === "PUT" && left-- > 0 ? weather(route) : route.fallback(),
    );
};

const reload: Step = async (world) => {
  const page = world.tab();
  await page.reload();
  await page
    .locator(".cm-content")
    .or(page.getByRole("button", { name: "Keep both" }))
    .first()
    .waitFor();
};

const WEIGHTED: [Step, number][] = [
  [type, 10],
  [save, 3],
  [assist, 4],
  [storm, 2],
  [reload, 2],
];
const ALL = WEIGHTED.flatMap(([step, weight]) => Array.from({ length: weight }, () => step));

/** What the document says and has said, the earliest first. */
async function everything(id: string): Promise<Found[]> {
  const path = `/api/documents/${id}`;
  const { items } = await person.ask<{ items: Found[] }>("GET", `${path}/versions?limit=100`);
  const versions = items.map(({ version }) => person.ask<Found>("GET", `${path}/versions/${version}`));
  return [...(await Promise.all(versions)).reverse(), await person.ask<Found>("GET", path)];
}

type Change = { actor: { kind: Writer }; version_before: number | null; version_after: number };

/** Who has written each of these texts, by the activity, which has no gaps. */
async function writersOf(id: string, texts: Found[]): Promise<Writer[]> {
  const path = `/api/activity?kind=document&record_id=${id}&limit=100`;
  const changes = (await person.ask<{ items: Change[] }>("GET", path)).items.reverse();
  expect(changes.map(({ version_before }) => version_before)).toEqual([
    null,
    ...changes.slice(0, -1).map(({ version_after }) => version_after),
  ]);
  expect(changes.map(({ version_after }) => version_after)).toEqual(texts.map(({ version }) => version));
  return changes.map(({ actor }) => actor.kind);
}

/** The words whose first version is not one of their writer. */
function foreign(world: World, texts: Found[], writers: Writer[]): string[] {
  const found = [...world.words].map(([word, writer]) => {
    const first = texts.findIndex(({ content }) => content.text.includes(word));
    return [`${word} of ${writer}`, `${word} of ${writers[first]}`] as const;
  });
  return found.flatMap(([typed, kept]) => (typed === kept ? [] : [`${typed}: ${kept}`]));
}

async function settle(world: World, page: Page): Promise<void> {
  await page.unrouteAll();
  await expect
    .poll(
      async () => {
        world.questions += await decide(page);
        await page.keyboard.press("Control+s");
        return page.getByText("Saved", { exact: true }).isVisible();
      },
      { timeout: 60_000 },
    )
    .toBe(true);
}

test.each(SEEDS)(
  "two tabs and an assistant lose no word of each other, seed %i",
  { timeout: TIMEOUT },
  async (seed) => {
    const id = await createDocument(person.ask, "Shared", "one two three\n\nfour five six\n\nseven\n");
    const tabs = [await person.context.newPage(), await person.context.newPage()];
    for (const page of tabs) {
      await page.goto(`/documents/${id}?edit`);
      await page.locator(".cm-content").waitFor();
    }
    const world = new World(seed, id, tabs);
    for (let step = 0; step < STEPS; step++) await ALL[world.below(ALL.length)]?.(world);
    for (const page of tabs) await settle(world, page);
    const texts = await everything(id);
    expect(foreign(world, texts, await writersOf(id, texts))).toEqual([]);
    // Each word may stand where another was written at the same time.
    expect(world.questions).toBeLessThanOrEqual(world.words.size);
    for (const page of tabs) await page.close();
  },
);
