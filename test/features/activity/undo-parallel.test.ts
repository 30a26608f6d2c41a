import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { undoChangesTool } from "../../../src/features/activity/tools.ts";
import { updateDocument } from "../../../src/features/documents/change-store.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { createDocument } from "../../../src/features/documents/store.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { createMemory } from "../../../src/features/memories/store.ts";
import { updateMemory } from "../../../src/features/memories/update-store.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, claude, ctxOf, numberOf } from "../../kit/ctx.ts";

// Undoing beside other writers: nothing of theirs is overwritten, and every answer is true.

const RECORDS = 3;
const FIELDS = ["title", "tags"] as const;
type Field = (typeof FIELDS)[number];

/** What a person does to one of the documents (even) or records (odd) while an assistant undoes its own changes. */
type Step = { record: number; act: Field | "delete" | "restore" };

const step: fc.Arbitrary<Step> = fc.record({
  record: fc.nat(2 * RECORDS - 1),
  act: fc.constantFrom(...FIELDS, ...FIELDS, "delete", "restore"),
});

const BY_CLAUDE = { source_type: "mcp" } as const;

/** Claude creates half of the records, the person the other half, and Claude changes all of them twice. */
async function begin(ada: Client, ctx: Ctx) {
  const own = await ctxOf(ada);
  const ids: string[] = [];
  const numbers: number[] = [];
  for (let n = 0; n < RECORDS; n++) {
    const by = n % 2 ? ctx : own;
    const { id } = await createDocument(by, { title: "First", content: { text: "x" } }, BY_CLAUDE);
    const record = await createMemory(
      by,
      { memory_type: "context", topic: "First", content: "x" },
      BY_CLAUDE,
    );
    ids.push(id);
    numbers.push(record.id);
    for (const title of ["Second", "Third"]) {
      await updateDocument(ctx, id, { title }, BY_CLAUDE);
      await updateMemory(ctx, record.id, { topic: title }, BY_CLAUDE);
    }
  }
  return { ids, numbers };
}

const ROUTES = {
  document: {
    ...{ change: documents.updateDocumentRoute, delete: documents.deleteDocumentRoute },
    restore: documents.restoreDocumentRoute,
  },
  memory: {
    ...{ change: memories.updateMemoryRoute, delete: memories.deleteMemoryRoute },
    restore: memories.restoreMemoryRoute,
  },
};

/** The person's step, with a value that nobody else writes. Returns whether it was carried out. */
async function take(
  ada: Client,
  { ids, numbers }: Awaited<ReturnType<typeof begin>>,
  { record, act }: Step,
  value: string,
) {
  const [place, kind] = [record >> 1, record % 2 === 0 ? "document" : "memory"] as const;
  const params = { [`${kind}_id`]: String(kind === "document" ? ids[place] : numbers[place]) };
  if (act === "delete" || act === "restore")
    return (await ada.call(ROUTES[kind][act], { params })).status < 300;
  const title = kind === "document" ? "title" : "topic";
  const json = act === "title" ? { [title]: value } : { tags: [value] };
  return (await ada.call(ROUTES[kind].change, { params, json })).status === 200;
}

type Entry = {
  number: number;
  actor: string;
  verb: string;
  kind: string;
  record: string;
  undoes: number | null;
  undone_by: number | null;
};

const entriesOf = async (owner: number) =>
  (await env.DB.prepare("SELECT * FROM activity WHERE owner = ? ORDER BY number").bind(owner).all<Entry>())
    .results;

/** Every record as it is stored, by kind and id: what a person sees of it, wherever it is. */
async function storedOf(owner: number): Promise<Map<string, { title: string; tags: string[] }>> {
  const { results } = await env.DB.prepare(
    `SELECT 'document ' || id AS name, title, tags FROM documents WHERE owner = ?1
     UNION ALL SELECT 'memory ' || id, topic, tags FROM memories WHERE owner = ?1`,
  )
    .bind(owner)
    .all<{ name: string; title: string; tags: string }>();
  return new Map(
    results.map(({ name, title, tags }) => [name, { title, tags: JSON.parse(tags) as string[] }]),
  );
}

/** No undo reached past a change of another writer. */
function expectNoneOverwritten(entries: Entry[]): void {
  for (const undo of entries.filter(({ undoes }) => undoes !== null)) {
    const between = entries.filter(
      ({ number, kind, record, verb, undoes, undone_by }) =>
        number > (undo.undoes ?? 0) &&
        number < undo.number &&
        kind === undo.kind &&
        record === undo.record &&
        verb !== "linked" &&
        undoes === null &&
        (undone_by === null || undone_by > undo.number),
    );
    expect(between, `change ${undo.undoes}, undone by ${undo.number}`).toEqual([]);
  }
}

type Outcome = { id: number; outcome: string };

const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);

/** What the person wrote last to a field is there. */
function expectKept(last: Map<string, string>, values: string[]): void {
  for (let record = 0; record < 2 * RECORDS; record++) {
    for (const field of FIELDS) {
      const written = [...last].filter(([, what]) => what === `${record} ${field}`).map(([value]) => value);
      const isKept = written.length === 0 || written.some((value) => values.includes(value));
      expect(isKept, `${record} ${field}: ${written}`).toBe(true);
    }
  }
}

type Answer = { results: Outcome[]; undone: number; not_shown?: number | undefined };

/**
 * Of all answers, one says of a change that it was undone if it was, or counts it among those that it does not show; what
 * is said to have changed since, has.
 */
function expectTrue(entries: Entry[], answers: Answer[]): void {
  const undone = entries.flatMap(({ undoes }) => undoes ?? []);
  const results = answers.flatMap((answer) => answer.results);
  const shown = results.filter(({ outcome }) => outcome === "undone").map(({ id }) => id);
  const notShown = sumOf(answers.map(({ not_shown = 0 }) => not_shown));
  expect(sumOf(answers.map((answer) => answer.undone))).toBe(undone.length);
  expect(undone).toEqual(expect.arrayContaining(shown));
  expect([new Set(shown).size, shown.length + notShown]).toEqual([shown.length, undone.length]);
  for (const [id, said = []] of Map.groupBy(results, (result) => result.id)) {
    const entry = entries.find(({ number }) => number === id);
    const outcomes = said.map(({ outcome }) => outcome);
    const later = entries.filter(
      ({ number, kind, record }) => number > id && kind === entry?.kind && record === entry.record,
    );
    if (outcomes.includes("changed_since")) expect(later.length).toBeGreaterThan(0);
  }
}

async function checkOnce(writers: Step[][]): Promise<void> {
  const ada = await person();
  const owner = await numberOf(ada);
  const made = await begin(ada, await claude(ada));
  const last = new Map<string, string>();
  const write = async (steps: Step[], writer: number) => {
    for (const [place, one] of steps.entries()) {
      const value = `w${writer}s${place}`;
      if (await take(ada, made, one, value)) last.set(value, `${one.record} ${one.act}`);
    }
  };
  const undo = async () => {
    const { results, ...counts } = await callTool(await claude(ada), undoChangesTool, {
      since: "2020-01-01",
    });
    return { results: results.map((result) => ({ ...result, id: Number(result.id) })), ...counts };
  };
  const [first, second] = await Promise.all([undo(), undo(), ...writers.map(write)]);
  const entries = await entriesOf(owner);
  const stored = [...(await storedOf(owner)).values()];
  expectNoneOverwritten(entries);
  expectKept(
    last,
    stored.flatMap(({ title, tags }) => [title, ...tags]),
  );
  expectTrue(entries, [first, second]);
  const numbers = entries.map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
}

test("what others write while two undos run is kept, and each answer says what happened", async () => {
  const writers = fc.array(fc.array(step, { maxLength: 5 }), { minLength: 2, maxLength: 3 });
  await fc.assert(fc.asyncProperty(writers, checkOnce), { numRuns: 6 });
});
