import { env } from "cloudflare:workers";
import { getTableColumns, type Table } from "drizzle-orm";
import { expect, test } from "vitest";
import type { z } from "zod";
import { DocumentExportLine, DocumentVersionExportLine } from "../../../src/contract/document.ts";
import { FolderExportLine } from "../../../src/contract/folder.ts";
import type { Import } from "../../../src/contract/import-state.ts";
import { MemoryExportLine } from "../../../src/contract/memory.ts";
import { MemoryEventExportLine } from "../../../src/contract/memory-event.ts";
import { KeptFindingExportLine } from "../../../src/contract/tidy.ts";
import { getMeRoute, updateMeRoute } from "../../../src/features/auth/routes.ts";
import { listHistoryRoute } from "../../../src/features/dashboard/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { listTagsRoute } from "../../../src/features/tags/routes.ts";
import { keepFindingRoute, lookRoute } from "../../../src/features/tidy/routes.ts";
import { listTrashRoute } from "../../../src/features/trash/routes.ts";
import * as tables from "../../../src/platform/db/tables.ts";
import { type Client, person } from "../../kit/client.ts";
import { exported, forgetEverything, sectionsOf, send } from "../../kit/files.ts";
import { type Fields, fileOf, memory, PLANNED } from "../../kit/import-lines.ts";
import { at, make, step } from "../../kit/records.ts";
import { isThorough } from "../../kit/time-limits.ts";

/** An account with at least one of everything. */
async function full(client: Client) {
  await client.ok(updateMeRoute, { json: { timezone: "Europe/Berlin", name: "Ada" } });
  const top = await client.ok(folders.createFolderRoute, { json: { name: "Top" } });
  const inner = await client.ok(folders.createFolderRoute, { json: { name: "Inner", parent_id: top.id } });
  const made = [];
  for (let n = 0; n < 12; n++) {
    const document = await client.ok(documents.createDocumentRoute, {
      json: {
        title: `Plan ${n} \u2028 ü 🦭`,
        content:
          n % 4 ? { format: "markdown", text: `walrus ${n}\r\nnext`, "2": null, "1": [1.5, -0, 1e21] } : null,
        tags: ["x", `t${n}`],
        folder_id: n % 3 ? inner.id : null,
      },
      headers: { "X-Client-Name": "Editor" },
    });
    const params = { document_id: document.id };
    for (let v = 0; v < n % 3; v++)
      await client.ok(documents.updateDocumentRoute, { params, json: { title: `V${v}` } });
    if (n % 5 === 1) await client.ok(documents.deleteDocumentRoute, { params });
    made.push(document);
  }
  const remember = (topic: string, more = {}) =>
    make(client, { topic, content: "walnut", due_date: "2030-01-02", tags: ["m"], ...more });
  const update = (record: { id: number }, json: object) =>
    client.ok(memories.updateMemoryRoute, { params: at(record), json });
  const old = await remember("Old", { document_id: made[0]?.id, project: "Apollo", scope: "work" });
  await step(client, old, "supersede", { memory_type: "commitment", topic: "New", content: "walnut" });
  await step(client, await remember("Done"), "resolve", { resolution_note: "ok" });
  const rent = await remember("Rent", {
    ...{ repeat: "FREQ=MONTHLY", due_time: "09:00", remind_until_done: true, document_id: made[0]?.id },
  });
  const now = { apply_to: "this", tags: ["money"], remind_until_done: false, document_id: null };
  await update(rent, { apply_to: "this", topic: "Rents" });
  await update(rent, now);
  await step(client, rent, "resolve");
  await client.ok(lookRoute);
  const next = { id: rent.id + 1 };
  const word = { kind: "one_word_topic", items: [{ type: "memory", id: String(next.id) }] };
  await client.call(keepFindingRoute, { json: word });
  await update(next, { ...now, topic: "Last rent" });
  return { top, inner, made };
}

test("an export imported into an empty account is byte-identical when exported again", async () => {
  const ada = await person();
  const { inner } = await full(ada);
  const file = await exported(ada);
  expect(file).not.toMatch(/password|example\.com|hash"/);
  const shown = async (client: Client) => ({
    list: await client.ok(documents.listDocumentsRoute, { query: { sort: "title" } }),
    tags: await client.ok(listTagsRoute),
    trash: await client.ok(listTrashRoute),
    found: (await client.ok(searchRoute, { query: { q: "walrus" } })).total,
    memories: await client.ok(memories.listMemoriesRoute),
    history: await client.ok(listHistoryRoute),
  });
  const before = await shown(ada);
  expect(before.found).toBeGreaterThan(3);
  await forgetEverything();

  const bob = await person();
  const { status, result } = await send(bob, file);
  expect(status).toBe(200);
  expect(result).toMatchObject({
    status: "done",
    folders: { created: 2, remapped: 0 },
    documents: { created: 12, skipped: 0 },
    document_versions: { created: 12 },
  });
  expect(sectionsOf(await exported(bob))).toEqual(sectionsOf(file));
  expect(await shown(bob)).toEqual(before);
  expect(before.memories.items.map(({ id }) => id)).not.toContain((await make(bob)).id);
  expect(
    (await bob.ok(folders.getFolderRoute, { params: { folder_id: inner.id } })).document_count,
  ).toBeGreaterThan(0);
  expect(await bob.ok(getMeRoute)).toMatchObject({ timezone: "Europe/Berlin", name: "Ada" });
  expect(await env.DB.prepare("SELECT count(*) AS n FROM import_pieces").first()).toEqual({ n: 0 });
});

test("the next of a copied series has the copy of its document, and none where the file has none", async () => {
  const ada = await person();
  const { id } = await ada.ok(documents.createDocumentRoute, { json: { title: "Lease", content: null } });
  const next_values = { document_id: id };
  const rent = memory(1, { ...PLANNED, next_values });
  const file = await exported(ada);
  const lease = file.split("\n").find((line) => line.includes('"type":"document"'));
  const nextOf = async (lines: object[]) => {
    const bob = await person();
    expect((await send(bob, fileOf(lines as Fields[]), "?mode=copy")).status).toBe(200);
    const [copy] = (await bob.ok(memories.listMemoriesRoute)).items;
    const params = { memory_id: String(copy?.id) };
    const { headers } = await bob.call(memories.resolveMemoryRoute, { params });
    const next = headers.get("Location")?.split("/").at(-1) ?? "";
    const { document_id } = await bob.ok(memories.getMemoryRoute, { params: { memory_id: next } });
    const { items } = await bob.ok(documents.listDocumentsRoute);
    return { document_id, documents: items.map((document) => document.id) };
  };
  const copied = await nextOf([JSON.parse(lease ?? ""), rent]);
  expect(copied.documents).toEqual([copied.document_id]);
  expect(copied.document_id).not.toBe(id);
  expect(await nextOf([rent])).toEqual({ document_id: null, documents: [] });
});

test("skip keeps existing records, overwrite replaces them as a new version, copy duplicates them", async () => {
  const ada = await person();
  const { made } = await full(ada);
  const file = await exported(ada);
  const [, , third] = made;
  const params = { document_id: third?.id ?? "" };
  const changed = await ada.ok(documents.updateDocumentRoute, { params, json: { title: "Changed since" } });

  expect((await send(ada, file)).result).toMatchObject({ documents: { created: 0, skipped: 12 } });
  expect(await ada.ok(documents.getDocumentRoute, { params })).toEqual(changed);

  const rows = async () => (await env.DB.prepare("SELECT * FROM documents ORDER BY id").all()).results;
  const [still, dry] = [await rows(), await send(ada, file, "?mode=overwrite&dry_run=true")];
  expect(await rows()).toEqual(still);
  const wet = await send(ada, file, "?mode=overwrite");
  expect(wet.result.documents).toEqual(dry.result.documents);
  expect(wet.result.documents).toMatchObject({ overwritten: 12, created: 0 });
  const overwritten = await ada.ok(documents.getDocumentRoute, { params });
  expect(overwritten).toMatchObject({ title: "V1", version: changed.version + 1 });
  expect((await ada.ok(documents.listVersionsRoute, { params })).items[0]).toMatchObject({
    title: "Changed since",
  });

  const copied = await send(ada, file, "?mode=copy");
  expect(copied.result).toMatchObject({
    folders: { created: 2, remapped: 2 },
    documents: { created: 12, remapped: 12 },
  });
  const { items } = await ada.ok(folders.listFoldersRoute);
  expect(items.map(({ name }) => name)).toEqual(["Inner", "Inner", "Top", "Top"]);
  const parents = items.filter(({ name }) => name === "Inner").map(({ parent_id }) => parent_id);
  expect(new Set(parents).size).toBe(2);
  expect(items.filter(({ name }) => name === "Inner").map(({ document_count }) => document_count)).toEqual([
    6, 6,
  ]);
});

test("in another account, ids that are taken are remapped with their references, and only once", async () => {
  const ada = await person();
  const { inner, made } = await full(ada);
  const file = await exported(ada);
  const bob = await person();
  expect((await send(bob, file)).result).toMatchObject({
    folders: { created: 2, remapped: 0 },
    documents: { created: 12, remapped: 0 },
    document_versions: { created: 12 },
  });
  const { items } = await bob.ok(documents.listDocumentsRoute, { query: { limit: 100 } });
  expect(items.map(({ id }) => id).filter((id) => made.some((document) => document.id === id))).toEqual([]);
  expect(items.every(({ folder_id }) => folder_id !== inner.id)).toBe(true);
  expect(items.filter(({ folder_id }) => folder_id).length).toBeGreaterThan(3);
  expect((await send(bob, file)).result).toMatchObject({
    folders: { skipped: 2 },
    documents: { skipped: 12 },
  });
  expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(items.length);
});

test("a damaged file is refused, and nothing is changed", async () => {
  const ada = await person();
  await full(ada);
  const file = await exported(ada);
  const bob = await person();
  const bytes = new TextEncoder().encode(file);
  const lines = file.split("\n");
  const damaged: (string | Uint8Array)[] = [
    "",
    "nonsense",
    file.slice(0, file.length / 2),
    file.trimEnd(),
    lines.slice(0, -2).join("\n"),
    `${lines.slice(0, -2).join("\n")}\n`,
    `${file}{"type":"end"}\n`,
    `${file}\n`,
    [...lines.slice(0, 4), ...lines.slice(5)].join("\n"),
    file.replace('"sections":{', '"sections":{"unknown":{"count":0,"sha256":""},'),
    [lines[0], lines[2], lines[1], ...lines.slice(3)].join("\n"),
  ];
  for (let n = 0; n < 40; n += isThorough ? 1 : 5) {
    const flipped = bytes.slice();
    const at = Math.floor((bytes.length * n) / 40);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (n % 8));
    damaged.push(flipped);
  }
  for (const body of damaged) {
    const { status, detail } = await send(bob, body);
    expect([status, detail]).toEqual([400, expect.stringContaining("nothing was imported")]);
  }
  expect((await bob.ok(documents.listDocumentsRoute)).total).toBe(0);
  expect((await bob.ok(folders.listFoldersRoute)).total).toBe(0);
  for (const table of ["imports", "import_pieces"]) {
    expect(await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first()).toEqual({ n: 0 });
  }
});

test("an interrupted upload continues where it stopped, and so does an interrupted import", async () => {
  const ada = await person();
  await full(ada);
  const file = new TextEncoder().encode(await exported(ada));
  const bob = await person();
  const eve = await person();
  const range = (start: number, end: number) => ({
    "Content-Range": `bytes ${start}-${end - 1}/${file.length}`,
  });
  const half = Math.floor(file.length / 2);
  const first = await send(bob, file.slice(0, half), "?", range(0, half));
  expect(first).toMatchObject({ status: 202, result: { status: "uploading" } });
  const { id, received } = first.result;
  expect(received).toBeGreaterThan(half / 2);
  expect(received).toBeLessThanOrEqual(half);
  expect((await send(bob, file.slice(half), `/${id}`, range(half, file.length))).status).toBe(409);
  expect((await send(eve, file.slice(received), `/${id}`, range(received, file.length))).status).toBe(404);
  const list = (await (await bob.fetch("/api/import")).json()) as { items: Import[] };
  expect(list.items).toMatchObject([{ id, received, status: "uploading" }]);

  const second = await send(bob, file.slice(received), `/${id}`, range(received, file.length));
  expect(second).toMatchObject({ status: 200, result: { status: "done", documents: { created: 12 } } });
  expect(await send(bob, "", `/${id}`)).toMatchObject({ status: 200, result: second.result });

  // The state after a crash: everything is received, but nothing is applied, or not even validated.
  const third = await send(eve, file.slice(0, received), "?", range(0, received));
  const rest = new TextDecoder().decode(file.slice(received));
  const left = third.result.id;
  const piece = "INSERT INTO import_pieces SELECT id, pieces, owner, ? FROM imports WHERE id = ?";
  const state = "UPDATE imports SET pieces = pieces + 1, received = ? WHERE id = ?";
  await env.DB.batch([env.DB.prepare(piece).bind(rest, left), env.DB.prepare(state).bind(file.length, left)]);
  expect(await send(eve, "", `/${left}`)).toMatchObject({
    ...{ status: 200, result: { documents: { created: 12 } } },
  });
});

test("an import with an Idempotency-Key happens once", async () => {
  const ada = await person();
  await full(ada);
  const file = await exported(ada);
  const key = { "Idempotency-Key": "k" };
  const first = await send(ada, file, "?mode=copy", key);
  expect(await send(ada, file, "?mode=copy", key)).toEqual(first);
  expect((await send(ada, `${file} `, "?mode=copy", key)).status).toBe(422);
  expect((await send(ada, file, "?mode=skip", key)).status).toBe(422);
  expect((await ada.ok(folders.listFoldersRoute)).total).toBe(4);
});

test.for([
  ["folder", FolderExportLine, tables.folders, "key"],
  ["document", DocumentExportLine, tables.documents, "excerpt open_tasks done_tasks title_key"],
  ["document_version", DocumentVersionExportLine, tables.document_versions, ""],
  ["memory", MemoryExportLine, tables.memories, "remind_at"],
  ["tidy_kept", KeptFindingExportLine.omit({ items: true }), tables.tidy_kept, "key"],
  ["memory_event", MemoryEventExportLine, tables.memory_events, "id"],
] as [string, z.ZodObject, Table, string][])(
  "the line of a %s has every column of its table but those that are not the user's",
  ([, { shape }, table, more]) => {
    const { type: _, ...fields } = shape;
    const left = ["activity", "owner", ...more.split(" ")];
    const columns = Object.keys(getTableColumns(table)).filter((name) => !left.includes(name));
    expect(Object.keys(fields).sort()).toEqual(columns.sort());
  },
);
