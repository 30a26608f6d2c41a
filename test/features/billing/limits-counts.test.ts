import { applyD1Migrations, createScheduledController, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { RouteConfig } from "@hono/zod-openapi";
import fc from "fast-check";
import { expect, test } from "vitest";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { deleteMeRoute } from "../../../src/features/auth/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { closingLines, exportTally, lineBytes } from "../../../src/features/export/format.ts";
import {
  createFolderRoute,
  deleteFolderRoute,
  updateFolderRoute,
} from "../../../src/features/folders/routes.ts";
import { importAccountRoute } from "../../../src/features/import/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { renameProjectRoute } from "../../../src/features/projects/routes.ts";
import { deleteTagRoute, renameTagRoute } from "../../../src/features/tags/routes.ts";
import { emptyTrashRoute } from "../../../src/features/trash/routes.ts";
import worker from "../../../src/index.ts";
import { type Client, PASSWORD, type Parts, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { create, remove, update } from "../../kit/documents.ts";
import { countOf } from "../../kit/jobs.ts";
import { stateless, use } from "../../kit/mcp.ts";
import { change, make, step } from "../../kit/records.ts";
import { type Counted, countedOf, freshOf, NOTHING } from "../../kit/usage.ts";

// Whatever happens in an account, what the triggers have counted is what there is.

type World = {
  ada: Client;
  documents: string[];
  records: number[];
  folders: string[];
  /** An export of the account as it once was. */
  file: string;
};

type Step = { kind: number; pick: number; size: number };

const RECORD = { memory_type: "commitment" as const, topic: "Slides", project: "Apollo" };
const NDJSON = { "Content-Type": "application/x-ndjson" };
const one = <Item>(items: Item[], pick: number) => items[pick % items.length];
const textOf = (size: number) => "é".repeat(size);

type Act = (world: World, step: Step) => Promise<unknown>;

/** A request about a document, record or folder, if there is one. The answer may be a refusal. */
const about =
  (kind: "documents" | "records" | "folders", param: string) =>
  (route: RouteConfig, parts: (size: number, id: string | number) => Parts = () => ({})): Act =>
  async ({ ada, [kind]: ids }, { pick, size }) => {
    const id = one<string | number>(ids, pick);
    if (id === undefined) return;
    const { params, ...rest } = parts(size, id);
    await ada.call(route, { ...rest, params: { ...params, [param]: String(id) } });
  };
const onDocument = about("documents", "document_id");
const onRecord = about("records", "memory_id");
const onFolder = about("folders", "folder_id");

const deletion = (size: number) => ({ query: { permanent: size % 5 === 0 ? "true" : "false" } });
const earlier = (size: number) => ({ params: { version: String((size % 4) + 1) } });

const STEPS: Act[] = [
  async (world, { size, pick }) => {
    const folder_id = one(world.folders, pick);
    const json = { title: "Plan", content: { text: textOf(size) }, tags: ["travel"], folder_id };
    const { status, body } = await world.ada.call(documents.createDocumentRoute, { json });
    // The folder may have been deleted by another step.
    if (status === 201) world.documents.push(body.id);
  },
  async (world, { size }) => {
    const json = { ...RECORD, content: `For Grace ${textOf(size)}` };
    world.records.push((await world.ada.ok(memories.createMemoryRoute, { json })).id);
  },
  async (world, { size }) => {
    const { id } = await world.ada.ok(createFolderRoute, { json: { name: `F${textOf(size % 50)}` } });
    world.folders.push(id);
  },
  onDocument(documents.updateDocumentRoute, (size) => ({
    json: size % 3 ? { content: { text: textOf(size) } } : { title: `T${size}`, content: null },
  })),
  onDocument(documents.editDocumentRoute, (size) => ({
    json: { operation: "append", text: textOf(size + 1) },
  })),
  onDocument(documents.deleteDocumentRoute, deletion),
  onDocument(documents.restoreDocumentRoute),
  onDocument(documents.restoreVersionRoute, earlier),
  onDocument(documents.bulkDocumentsRoute, (size, id) => ({
    json: {
      operations: [
        { operation: "create", title: "Bulk", content: { text: textOf(size) } },
        { operation: "add_tags", id, tags: ["work"] },
        { operation: "update", id, title: `B${size}` },
        ...(size % 2 ? [{ operation: "delete", id }] : []),
      ],
    },
  })),
  onRecord(memories.updateMemoryRoute, (size) => ({ json: { content: `C${textOf(size)}` } })),
  onRecord(memories.resolveMemoryRoute, (size) => ({
    json: size % 2 ? { resolution_note: textOf(size) } : {},
  })),
  onRecord(memories.reopenMemoryRoute, () => ({ json: {} })),
  onRecord(memories.deferMemoryRoute, (size) => ({
    json: { note: textOf((size % 90) + 1), deferred_until: "2099-01-01" },
  })),
  onRecord(memories.confirmMemoryRoute),
  async ({ ada, records }, { pick, size }) => {
    const params = { memory_id: String(one(records, pick)) };
    const json = { content: `S${textOf(size)}` };
    const answer = await ada.call(memories.supersedeMemoryRoute, { params, json });
    if (answer.status < 300) records.push(answer.body.id);
  },
  onRecord(memories.deleteMemoryRoute, deletion),
  onRecord(memories.restoreMemoryRoute),
  onRecord(memories.restoreMemoryVersionRoute, earlier),
  onRecord(memories.changeMemoriesRoute, (size, id) => ({
    json: {
      operations: [
        { operation: "create", ...RECORD, content: textOf(size + 1) },
        { operation: "update", id, project: `P${size % 3}` },
        { operation: "archive", id },
      ],
    },
  })),
  onFolder(updateFolderRoute, (size) => ({ json: { name: `N${textOf(size % 80)}` } })),
  onFolder(deleteFolderRoute, (size) => ({ query: { on_content: size % 2 ? "move_up" : "trash" } })),
  ({ ada }, { size }) =>
    ada.call(renameTagRoute, { params: { name: "travel" }, json: { name: `tag${size % 3}` } }),
  ({ ada }) => ada.call(deleteTagRoute, { params: { name: "tag1" } }),
  ({ ada }, { size }) =>
    ada.call(renameProjectRoute, { params: { name: "Apollo" }, json: { name: `Project ${size % 4}` } }),
  ({ ada }, { size }) => ada.call(emptyTrashRoute, { query: { type: size % 2 ? "all" : "documents" } }),
  async ({ ada }, { size }) => {
    const ids = Array.from({ length: 5 }, (_, index) => size + index + 1);
    await ada.call(undoActivityRoute, { json: { ids } });
  },
  async (world) => {
    world.file = await (await world.ada.fetch("/api/export")).text();
  },
  async ({ ada, file }, { size }) => {
    const mode = one(["skip", "overwrite", "copy"], size) ?? "skip";
    if (file) await ada.ok(importAccountRoute, { headers: NDJSON, body: file, query: { mode } });
  },
  ({ ada }, { size }) =>
    use(stateless(ada), "remember", {
      records: [1, 2].map((n) => ({ ...RECORD, topic: `Topic ${n}`, content: textOf(size + n) })),
    }),
  ({ ada }, { size }) =>
    use(stateless(ada), "create_document", { title: "Tool", text: textOf(size), folder: `A${size % 4}/B` }),
];

const RUNS = Number(env.FUZZ_RUNS || 2);

test("after any sequence of operations the counters are what a fresh count says", {
  timeout: 280_000,
}, async () => {
  const step = fc.record({
    kind: fc.nat({ max: STEPS.length - 1 }),
    pick: fc.nat({ max: 20 }),
    size: fc.nat({ max: 300 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 35 }), async (steps) => {
      const [ada, bob] = [
        await person({ email: `${crypto.randomUUID()}@example.com` }),
        await person({ email: `${crypto.randomUUID()}@example.com` }),
      ];
      const [owner, other] = [await numberOf(ada), await numberOf(bob)];
      const world: World = { ada, documents: [], records: [], folders: [], file: "" };
      for (const one of [{ kind: 0, pick: 0, size: 5 }, { kind: 1, pick: 0, size: 5 }, ...steps]) {
        await STEPS[one.kind]?.(world, one);
        expect(await countedOf(owner), JSON.stringify(one)).toEqual(await freshOf(owner));
      }
      expect(await countedOf(other)).toEqual(NOTHING);
    }),
    { numRuns: RUNS },
  );
});

test("a long history counts what is kept of it, and an erased account nothing", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const plan = await create(ada, { content: { text: "0" } });
  const record = await make(ada, { ...RECORD, content: "0" });
  for (let version = 1; version <= 57; version++) {
    const content = "x".repeat(version);
    await update(ada, plan, { content: { text: content } });
    await change(ada, record, { content });
  }
  expect(await countedOf(owner)).toEqual(await freshOf(owner));
  expect(await countOf(ada, "document_versions WHERE owner = ?")).toBe(50);
  expect(await countOf(ada, "memory_events WHERE owner = ? AND state IS NOT NULL")).toBe(50);
  await ada.call(deleteMeRoute, { json: { password: PASSWORD } });
  await worker.scheduled(createScheduledController(), env as never);
  expect(await countedOf(owner)).toEqual(NOTHING);
  expect(await freshOf(owner)).toEqual(NOTHING);
});

/** A file of these lines, as the account that exported them would have written it. */
function fileOf(lines: string[]): string {
  const [passed, decoder] = [exportTally(), new TextDecoder()];
  for (const line of lines) passed.add(JSON.parse(line).type, lineBytes(line));
  const closing = closingLines(passed).map((bytes) => decoder.decode(bytes));
  return [...lines.map((line) => `${line}\n`), ...closing].join("");
}

test("a file cannot bring what is stored but not counted", async () => {
  const [ada, bob] = [await person(), await person()];
  const { id } = await ada.ok(memories.createMemoryRoute, { json: { ...RECORD, content: "One" } });
  await ada.ok(memories.updateMemoryRoute, { params: { memory_id: String(id) }, json: { content: "Two" } });
  const exported = (await (await ada.fetch("/api/export")).text()).split("\n").filter(Boolean).slice(0, -2);
  const owner = await numberOf(bob);
  // A state that claims to be of the record's own version, or of a later one.
  for (const version of [2, 9]) {
    const forged = exported.map((line) =>
      line.startsWith('{"type":"memory_event"') ? line.replace('"version":1', `"version":${version}`) : line,
    );
    expect(forged).not.toEqual(exported);
    const { memory_events } = await bob.ok(importAccountRoute, {
      ...{ headers: NDJSON, body: fileOf(forged), query: { mode: "copy" } },
    });
    expect(memory_events).toMatchObject({ created: 1, skipped: 1 });
    const [record] = (await bob.ok(memories.listMemoriesRoute)).items;
    const params = { memory_id: String(record?.id) };
    await bob.ok(memories.updateMemoryRoute, { params, json: { content: "Three" } });
    expect(await countedOf(owner)).toEqual(await freshOf(owner));
    await bob.call(memories.deleteMemoryRoute, { params, query: { permanent: "true" } });
    expect(await countedOf(owner)).toEqual(await freshOf(owner));
  }
});

test("the migration counts what is there", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  await update(ada, await create(ada, { content: { text: "é" } }), { title: "Plans" });
  await remove(ada, await create(ada, { title: "Gone" }));
  expect((await step(ada, await make(ada, RECORD), "resolve", { resolution_note: "Done" })).status).toBe(200);
  await ada.ok(createFolderRoute, { json: { name: "Trips" } });
  const [tables, counted] = [await contents(), await countedOf(owner)];
  await reset();
  const before = env.MIGRATIONS.findIndex(({ name }) => name === "0027_usage.sql");
  await applyD1Migrations(env.DB, env.MIGRATIONS.slice(0, before));
  for (const [table, rows] of tables) {
    const { results } = await env.DB.prepare(`SELECT name FROM pragma_table_info(?)`)
      .bind(table)
      .all<{ name: string }>();
    const columns = results.map(({ name }) => name);
    for (const row of rows) {
      const places = columns.map(() => "?").join(", ");
      await env.DB.prepare(`INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${places})`)
        .bind(...columns.map((name) => row[name]))
        .run();
    }
  }
  await applyD1Migrations(env.DB, env.MIGRATIONS);
  expect(await countedOf(owner)).toEqual(counted);
  expect(await freshOf(owner)).toEqual(counted satisfies Counted);
});

/** The rows of an account's tables. */
async function contents(): Promise<[string, Record<string, unknown>[]][]> {
  const names = ["users", "folders", "documents", "document_versions", "memories", "memory_events"];
  const results = await env.DB.batch<Record<string, unknown>>(
    names.map((name) => env.DB.prepare(`SELECT * FROM ${name}`)),
  );
  return names.map((name, index) => [name, results[index]?.results ?? []]);
}
