import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { random } from "../kit/random.ts";
import { goOffline, WITH_WORKER } from "./app.ts";
import { askWith } from "./ask.ts";
import { copiesIn } from "./copies.ts";
import { type AppOfPerson, openAs, stageFor } from "./stage.ts";
import {
  bar,
  capture,
  createDocument,
  type Known,
  markdown,
  rename,
  tag,
  textField,
  textOf,
} from "./steps.ts";

// A model of everything that waits for the server. A person works in two tabs while the network goes away, requests and
// answers are lost, the service fails, and tabs are reloaded or closed at any moment. What they did is shown at once, and
// in the end the service has all of it, once; what another program changed meanwhile is asked about, not overwritten.

/** Two seeds together have each kind of change with each fate. */
const SEEDS = process.env.NIGHTLY ? Array.from({ length: 20 }, (_, index) => index + 1) : [1, 2];
const TIMEOUT = 600_000;

const stage = stageFor();

const answering = (status: number) => (route: Route) =>
  route.fulfill({ status, headers: { "Retry-After": "1" }, json: { detail: "Try again" } });

/** What happens to the next request that changes something. */
const FATES = {
  "lost request": (route: Route) => route.abort("connectionreset"),
  "lost answer": async (route: Route) => {
    await route.fetch();
    await route.abort("connectionreset");
  },
  "error after the change": async (route: Route) => {
    await route.fetch();
    await answering(500)(route);
  },
  unavailable: answering(503),
  "too many requests": answering(429),
};
type Fate = keyof typeof FATES;
const ALL_FATES = Object.keys(FATES) as Fate[];

const EACH = ALL_FATES.map((_, index) => index);
const RECORDS = EACH.map((index) => `Known ${index}`);
const DOCUMENTS = EACH.map((index) => `Old ${index}`);
const TASKS = EACH.map((index) => `task ${index}`);
const JOURNAL = [...EACH.map((index) => `Line ${index}:`), "Another program"].join("\n\n");
const taskText = (ticked: readonly string[]) =>
  TASKS.map((task) => `- [${ticked.includes(task) ? "x" : " "}] ${task}\n`).join("\nBetween.\n\n");

const once = (page: Page, message: string) =>
  expect.poll(() => page.getByRole("main").getByText(message, { exact: true }).count(), { message }).toBe(1);
const never = (page: Page, name: string) =>
  expect.poll(() => page.getByRole("link", { name, exact: true }).count(), { message: name }).toBe(0);
const isTicked = (page: Page, name: string) =>
  expect
    .poll(() => page.getByRole("checkbox", { name, exact: true }).isChecked(), { message: name })
    .toBe(true);
const isWritten = (page: Page, word: string) =>
  expect.poll(() => textField(page).innerText(), { message: word }).toContain(word);

type Tab = { page: Page; path: string; slot: number };
type Check = (page: Page, name: string) => Promise<unknown>;

class World {
  readonly next: () => number;
  readonly person: AppOfPerson;
  /** Documents by the titles that they were created with. */
  readonly ids: Record<string, string>;
  readonly tabs: Tab[] = [];
  readonly fates: Fate[] = [];
  /** The steps so far, for the message of a failure. */
  readonly story: string[] = [];
  goOnline: (() => Promise<void>) | undefined;
  /** What was done since the network went away, and how the screen shows it. */
  private waiting: { path: string; slot: number | undefined; isShown: (page: Page) => Promise<unknown> }[] =
    [];
  /** What the service must have in the end. */
  readonly done: Record<Kind, string[]> = {
    ...{ capture: [], archive: [], rename: [], tag: [], tick: [], create: [], write: [] },
  };
  private words = 0;

  constructor(seed: number, person: AppOfPerson, ids: Record<string, string>) {
    this.next = random(seed);
    this.person = person;
    this.ids = ids;
  }

  pick = <One>(all: readonly One[]) => all[Math.floor(this.next() * all.length)] as One;
  word = () => `w${this.words++}x`;

  /** Checks that a change is shown at once, and again after a reload while it waits. */
  async did(kind: Kind, { page, path, slot }: Tab, name: string, check?: Check): Promise<void> {
    this.done[kind].push(name);
    await check?.(page, name);
    // What is written in the editor of one tab is not in that of the other.
    if (this.goOnline && check)
      this.waiting.push({
        ...{ path, slot: kind === "write" ? slot : undefined },
        isShown: (now) => check(now, name),
      });
  }

  async showsWaiting({ page, path, slot }: Tab): Promise<void> {
    const here = this.waiting.filter((one) => one.path === path && (one.slot ?? slot) === slot);
    for (const { isShown } of here) await isShown(page);
  }

  async goAway(): Promise<void> {
    this.goOnline ??= await goOffline(this.person.context);
  }

  async comeBack(): Promise<void> {
    const { goOnline } = this;
    // Before the pages know: what they send at once must not be refused.
    this.goOnline = undefined;
    this.waiting = [];
    await goOnline?.();
  }
}

async function show(tab: Tab, path: string): Promise<Page> {
  if (tab.path !== path) await tab.page.goto(path);
  tab.path = path;
  const isEditor = path.endsWith("?edit");
  const shown = isEditor ? tab.page.locator(".cm-content") : tab.page.getByRole("heading", { level: 1 });
  await shown.first().waitFor();
  return tab.page;
}

async function openTab(world: World, slot: number): Promise<Tab> {
  const tab = { page: await world.person.context.newPage(), path: "", slot };
  world.tabs[slot] = tab;
  await show(tab, "/");
  return tab;
}

/** What a person does, once for each fate. */
const CHANGES = {
  capture: async (world: World, tab: Tab) => {
    const topic = `Post ${world.word()}`;
    const page = await show(tab, "/");
    await capture(page, `${topic} today`);
    // Until then, what is shown is a preview of the text in the field.
    await expect.poll(() => page.getByLabel("New record").inputValue()).toBe("");
    await world.did("capture", tab, topic, once);
  },
  archive: async (world: World, tab: Tab) => {
    const topic = RECORDS[world.done.archive.length] as string;
    const page = await show(tab, "/");
    await page.getByRole("link", { name: topic, exact: true }).focus();
    await page.keyboard.press("a");
    await world.did("archive", tab, topic, never);
  },
  rename: async (world: World, tab: Tab) => {
    const title = DOCUMENTS[world.done.rename.length] as string;
    const page = await show(tab, `/documents/${world.ids[title]}`);
    await rename(page, title, `${title}, renamed`);
    await world.did("rename", tab, `${title}, renamed`, once);
  },
  tag: async (world: World, tab: Tab) => {
    const name = world.word();
    await tag(await show(tab, `/documents/${world.ids.Tagged}`), name);
    await world.did("tag", tab, name);
  },
  tick: async (world: World, tab: Tab) => {
    const task = TASKS[world.done.tick.length] as string;
    const page = await show(tab, `/documents/${world.ids.Tasks}`);
    await page.getByRole("checkbox", { name: task, exact: true }).click();
    await world.did("tick", tab, task, isTicked);
  },
  create: async (world: World, tab: Tab) => {
    const word = world.word();
    const page = await show(tab, "/documents/new");
    await page.getByRole("textbox", { name: "Title" }).fill(`New ${word}`);
    await page.keyboard.press("Enter");
    await page.keyboard.insertText(`Text of ${word}`);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Documents" }).click();
    tab.path = "/documents";
    await world.did("create", tab, `New ${word}`, once);
  },
  write: async (world: World, tab: Tab) => {
    const page = await show(tab, `/documents/${world.ids.Journal}?edit`);
    const [word, next] = [world.word(), world.word()];
    const line = world.done.write.length / 2;
    await textField(page).press("Control+Home");
    for (let count = 0; count < 2 * line; count++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await page.keyboard.insertText(` ${word}`);
    await page.keyboard.press("Control+s");
    // What follows in the same line must not be a conflict with what was sent and not answered.
    if (!world.goOnline) await expect.poll(() => world.fates.length).toBe(0);
    await page.keyboard.insertText(` ${next}`);
    await world.did("write", tab, word, isWritten);
    await world.did("write", tab, next, isWritten);
  },
};
type Kind = keyof typeof CHANGES;

/** What happens between the changes. */
const EVENTS: Record<string, (world: World, tab: Tab) => Promise<unknown>> = {
  nothing: async () => {},
  network: (world) => (world.goOnline ? world.comeBack() : world.goAway()),
  reload: async (world, tab) => {
    await tab.page.reload();
    await show(tab, tab.path);
    await world.showsWaiting(tab);
  },
  close: async (world, tab) => {
    await tab.page.goto("about:blank");
    await tab.page.close();
    await world.showsWaiting(await openTab(world, tab.slot));
  },
  "another program writes": async ({ person: { ask, token }, ids, word }) => {
    const path = `/api/documents/${ids.Journal}`;
    for (let isSaved = false; !isSaved; ) {
      const { version, content } = await ask<Known & { content: { text: string } }>("GET", path);
      const text = content.text.replace(/Another program.*$/, `Another program ${word()}`);
      const based = askWith(stage.service.apiUrl, token, { "If-Match": `"v${version}"` });
      isSaved = await based("PUT", path, { content: markdown(text) }).then(
        () => true,
        () => false,
      );
    }
  },
};

/** Renames a document without a network that another program renames, too. */
async function contest(world: World, tab: Tab): Promise<void> {
  await world.goAway();
  const path = `/documents/${world.ids.Contested}`;
  await rename(await show(tab, path), "Contested", "Mine");
  await world.person.ask("PUT", `/api${path}`, { title: "Theirs" });
}

async function createWorld(seed: number): Promise<World> {
  const person = await openAs(stage, "/", WITH_WORKER);
  const { page, ask, context } = person;
  for (const topic of RECORDS)
    await ask("POST", "/api/memories", {
      ...{ memory_type: "commitment", topic, content: "As promised", due_date: "2020-01-01" },
    });
  const ids: Record<string, string> = {};
  for (const title of [...DOCUMENTS, "Contested", "Tagged", "Tasks", "Journal"]) {
    const text = { Tasks: taskText([]), Journal: JOURNAL }[title] ?? `Words of ${title}.`;
    const id = await createDocument(ask, title, text);
    ids[title] = id;
    await page.goto(`/documents/${id}`);
    // Then it can be opened without a network.
    await expect.poll(async () => (await copiesIn(page)).names.join()).toContain(`/api/documents/${id}`);
  }
  await page.goto("/documents");
  await page.getByText("Journal").first().waitFor();
  await page.goto("/");
  await page.getByText("Known 0").first().waitFor();
  await expect.poll(async () => (await copiesIn(page)).readable).toContain("Known 0");
  const world = new World(seed, person, ids);
  await context.route("**/api/**", (route) => {
    if (route.request().method() === "GET") return route.fallback();
    if (world.goOnline) return route.abort("internetdisconnected");
    const fate = world.fates.shift();
    return fate ? FATES[fate](route) : route.fallback();
  });
  for (const slot of [0, 1]) await openTab(world, slot);
  await page.close();
  return world;
}

type Listed = { items: (Known & { id: string; topic: string; status: string })[] };

/** What the service has of all this. */
async function stateOf({ person: { ask }, ids }: World) {
  const { items: records } = await ask<Listed>("GET", "/api/memories?limit=100");
  const { items: documents } = await ask<Listed>("GET", "/api/documents?limit=100");
  const created = documents.filter(({ title }) => title.startsWith("New "));
  const texts = await Promise.all(created.map(({ id }) => textOf(ask, id)));
  return {
    records: records.map(({ topic, status, version }) => `${topic} ${status} ${version}`).sort(),
    documents: documents.map(({ title }) => title).sort(),
    tags: documents.flatMap(({ tags }) => tags).sort(),
    tasks: await textOf(ask, ids.Tasks as string),
    words: ((await textOf(ask, ids.Journal as string)).match(/(?<!program )w\d+x/g) ?? []).sort(),
    texts: texts.sort(),
  };
}

function expected({ done }: World) {
  const renamed = DOCUMENTS.map((title, index) => done.rename[index] ?? title);
  return {
    records: [
      ...done.capture.map((topic) => `${topic} active 1`),
      ...RECORDS.map((topic) => `${topic} ${done.archive.includes(topic) ? "archived 2" : "active 1"}`),
    ].sort(),
    documents: ["Journal", "Tagged", "Tasks", "Theirs", ...renamed, ...done.create].sort(),
    tags: [...done.tag].sort(),
    tasks: taskText(done.tick),
    words: [...done.write].sort(),
    texts: done.create.map((title) => title.replace("New", "Text of")).sort(),
  };
}

async function run(seed: number, world: World): Promise<void> {
  const pairs = (Object.keys(CHANGES) as Kind[]).flatMap((kind, row) =>
    ALL_FATES.flatMap((fate, column) => ((row + column + seed) % 2 === 0 ? [{ kind, fate }] : [])),
  );
  const deck = pairs.map((pair) => ({ ...pair, at: world.next() })).sort((one, other) => one.at - other.at);
  const contestAt = Math.floor(world.next() * deck.length);
  for (const [index, { kind, fate }] of deck.entries()) {
    const event = world.pick(Object.keys(EVENTS));
    const [tab, other] = [world.pick([0, 1]), world.pick([0, 1])];
    world.story.push(`${event} in ${tab}; ${kind} in ${other}: ${fate}${world.goOnline ? " (offline)" : ""}`);
    await EVENTS[event]?.(world, world.tabs[tab] as Tab);
    world.fates.push(fate);
    await CHANGES[kind](world, world.tabs[other] as Tab);
    if (index === contestAt) await contest(world, world.tabs[tab] as Tab);
  }
}

/** The service has everything, the screens show it, and the person decides what was contested. */
async function settle(world: World): Promise<void> {
  world.story.push("settle");
  world.fates.length = 0;
  await world.comeBack();
  for (const tab of world.tabs) await (await show(tab, "/")).evaluate("dispatchEvent(new Event('online'))");
  await expect.poll(() => stateOf(world)).toEqual(expected(world));
  const pages = world.tabs.map(({ page }) => page) as [Page, Page];
  for (const page of pages) {
    await page.reload();
    await bar(page).getByText("1 change needs your attention").waitFor();
    for (const topic of world.done.capture) await once(page, topic);
    for (const topic of world.done.archive) await never(page, topic);
  }
  await bar(pages[0]).getByRole("button", { name: "Show" }).click();
  await pages[0].getByRole("button", { name: /^Apply anyway: Rename/ }).click();
  for (const page of pages) await bar(page).waitFor({ state: "hidden" });
  expect((await stateOf(world)).documents).toContain("Mine");
  await pages[1].goto("/documents");
  for (const title of [...world.done.create, ...world.done.rename]) await once(pages[1], title);
}

test.each(SEEDS)("nothing is lost or done twice in two tabs, seed %i", { timeout: TIMEOUT }, async (seed) => {
  const world = await createWorld(seed);
  try {
    await run(seed, world);
    await settle(world);
  } catch (problem) {
    throw new Error([(problem as Error).message, ...world.story].join("\n"));
  }
});
