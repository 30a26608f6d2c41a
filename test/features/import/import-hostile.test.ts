import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { bytesOf, closingLines, FORMAT, readLine, SCHEMA_VERSION, tally } from "../../../src/features/export/format.ts";
import { createFolderRoute, listFoldersRoute } from "../../../src/features/folders/routes.ts";
import * as imports from "../../../src/features/import/routes.ts";
import type { Import } from "../../../src/contract/import-state.ts";
import worker from "../../../src/index.ts";
import * as memories from "../../../src/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { prepare } from "../../kit/memories.ts";

// An imported file is untrusted input: whatever it contains, it harms nobody, including the importer.

const NOW = "2026-01-02T03:04:05.678Z";
const ID = "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42";
const OTHER_ID = "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e43";

const LINES = {
  settings: {
    type: "settings",
    name: "Ada",
    timezone: "Europe/Berlin",
    stale_after_days: { commitment: 14, blocker: 7 },
  },
  folder: { type: "folder", id: ID, name: "Top", parent_id: null, created_at: NOW, updated_at: NOW },
  document: {
    ...{
      type: "document",
      id: ID,
      version: 3,
      title: "Plan",
      folder_id: ID,
      source_type: "api",
      created_at: NOW,
    },
    ...{ updated_at: NOW, writer_source_type: null, writer_client_name: null, trashed_at: null, tags: ["x"] },
    content: { format: "markdown", text: "walrus" },
  },
  document_version: {
    ...{
      type: "document_version",
      document_id: ID,
      version: 1,
      title: "Plan",
      folder_id: null,
      source_type: "api",
    },
    ...{ client_name: null, created_at: NOW, tags: [], content: null },
  },
  memory: {
    ...{
      type: "memory",
      id: 1,
      memory_type: "commitment",
      topic: "Slides",
      content: "walrus",
      status: "active",
    },
    ...{ scope: null, project: null, tags: ["m"], due_date: null, deferred_until: null, document_id: ID },
    ...{ supersedes_id: null, superseded_by_id: null, resolved_at: null, resolution_note: null },
    ...{
      last_confirmed_at: null,
      source_type: "api",
      client_name: null,
      version: 1,
      created_at: NOW,
      updated_at: NOW,
    },
    ...{ closed_at: null, touched_at: NOW },
  },
  memory_event: {
    ...{
      type: "memory_event",
      memory_id: 1,
      event: "created",
      from_status: null,
      to_status: "active",
      note: null,
    },
    ...{ source_type: "api", client_name: null, at: NOW },
  },
};

type Fields = Record<string, unknown>;

const memory = (id: number, fields: Fields = {}) => ({ ...LINES.memory, document_id: null, id, ...fields });

/** A complete file with these lines, whatever they contain. */
function fileOf(lines: Fields[]): string {
  const passed = tally();
  const decoder = new TextDecoder();
  let file = "";
  const add = (type: string, bytes: Uint8Array) => {
    passed.add(type, bytes);
    file += decoder.decode(bytes);
  };
  add(
    "header",
    bytesOf(
      JSON.stringify({ type: "header", format: FORMAT, schema_version: SCHEMA_VERSION, exported_at: NOW }),
    ),
  );
  for (const line of lines) add(String(line.type), bytesOf(JSON.stringify(line)));
  for (const bytes of closingLines(passed)) file += decoder.decode(bytes);
  return file;
}

async function send(client: Client, file: string, path = "", headers: Record<string, string> = {}) {
  const init = {
    method: "POST",
    body: file,
    headers: { "Content-Type": "application/x-ndjson", ...headers },
  };
  const response = await client.fetch(`/api/import${path}`, init);
  const text = await response.text();
  return { status: response.status, text, result: JSON.parse(text) as Import & { detail: string } };
}

const record = { memory_type: "decision", topic: "Next", content: "x" } as const;
const make = (client: Client) => client.ok(memories.createMemoryRoute, { json: record });

const NUMBERS = [
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 32 + 1,
  2 ** 40 - 1,
  2 ** 40,
  2 ** 40 + 1,
  2 ** 52,
  2 ** 53 - 1,
];

test("no number in a file affects others' counters or exhausts the importer's own", async () => {
  const [ada, eve] = [await person(), await person()];
  const hostile = NUMBERS.flatMap((id) => [memory(id), memory(Math.min(id + 7, 2 ** 53 - 1))]);
  for (const mode of ["skip", "overwrite", "copy", "copy"]) {
    expect(await send(eve, fileOf(hostile), `?mode=${mode}`)).toMatchObject({ status: 200 });
  }
  const ids = [];
  for (let n = 0; n < 30; n++) ids.push((await make(eve)).id);
  expect(new Set(ids).size).toBe(30);
  expect(Math.max(...ids)).toBeLessThan(2 ** 32 + 100);
  expect((await make(ada)).id).toBe(1);
  expect((await send(eve, fileOf([memory(2 ** 32 + 1)]))).result.memories).toMatchObject({ skipped: 1 });
});

test("a record keeps its number, and the next one follows it", async () => {
  const eve = await person();
  await send(eve, fileOf([memory(41), memory(7)]));
  expect((await make(eve)).id).toBe(42);
  await send(eve, fileOf([memory(3)]));
  expect((await make(eve)).id).toBe(43);
});

test("links refer to the importer's own records, and dangling ones are removed", async () => {
  const [ada, eve] = [await person(), await person()];
  for (let n = 0; n < 5; n++) await make(ada);
  const before = await ada.ok(memories.listMemoriesRoute);
  const lines = [
    memory(1, { supersedes_id: 2, superseded_by_id: 3 }),
    memory(2, { superseded_by_id: 1 }),
    memory(4, { supersedes_id: 4_000, superseded_by_id: 2 ** 53 - 1 }),
  ];
  expect((await send(eve, fileOf(lines))).status).toBe(200);
  const one = (id: number) => eve.ok(memories.getMemoryRoute, { params: { memory_id: String(id) } });
  expect(await one(1)).toMatchObject({ supersedes_id: 2, superseded_by_id: null });
  expect(await one(4)).toMatchObject({ supersedes_id: null, superseded_by_id: null });
  for (const id of [1, 2, 4])
    await eve.call(memories.deleteMemoryRoute, { params: { memory_id: String(id) } });
  expect(await ada.ok(memories.listMemoriesRoute)).toEqual(before);
});

test("an answer does not reveal whether somebody else has an id", async () => {
  const ada = await person();
  const folder = await ada.ok(createFolderRoute, { json: { name: "Ada's" } });
  const document = await ada.ok(documents.createDocumentRoute, {
    json: { title: "Ada's", content: { a: 1 } },
  });
  await ada.ok(documents.updateDocumentRoute, {
    params: { document_id: document.id },
    json: { title: "Changed" },
  });
  const { id } = await make(ada);
  const before = await (await ada.fetch("/api/export")).text();
  const fileWith = (folderId: string, documentId: string, memoryId: number) =>
    fileOf([
      { ...LINES.folder, id: folderId },
      { ...LINES.document, id: documentId, folder_id: folderId },
      { ...LINES.document_version, document_id: documentId },
      memory(memoryId, { document_id: documentId }),
      { ...LINES.memory_event, memory_id: memoryId },
    ]);
  const foreign = fileWith(folder.id, document.id, id);
  const random = fileWith(crypto.randomUUID(), crypto.randomUUID(), 77);
  const answers = async (file: string) => {
    const eve = await person();
    const texts = [];
    for (const mode of ["skip", "overwrite", "copy"]) {
      for (const dry of [true, false, true, false]) {
        const { text } = await send(eve, file, `?mode=${mode}&dry_run=${dry}`);
        texts.push(text.replace(/"(id|created_at|updated_at|received)":("[^"]*"|\d+)/g, ""));
      }
    }
    texts.push(JSON.stringify((await eve.ok(documents.listDocumentsRoute)).total));
    return texts;
  };
  expect(await answers(foreign)).toEqual(await answers(random));
  const after = await (await ada.fetch("/api/export")).text();
  expect(after.split("\n").slice(1, -2)).toEqual(before.split("\n").slice(1, -2));
});

test("concurrent imports of the same ids, by one or several people, all succeed", async () => {
  const file = fileOf([
    ...Array.from({ length: 150 }, (_, n) => ({ ...LINES.folder, id: crypto.randomUUID(), name: `F${n}` })),
    LINES.folder,
    LINES.document,
    LINES.document_version,
    LINES.memory,
    LINES.memory_event,
  ]);
  const people = [await person(), await person(), await person()];
  const answers = await Promise.all(people.flatMap((client) => [send(client, file), send(client, file)]));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  for (const client of people) {
    expect((await client.ok(documents.listDocumentsRoute)).total).toBe(1);
    expect((await client.ok(listFoldersRoute)).total).toBe(151);
    const { items } = await client.ok(memories.listMemoriesRoute);
    expect(items.map(({ id }) => id)).toEqual([1]);
    expect(items[0]?.document_id).toBe((await client.ok(documents.listDocumentsRoute)).items[0]?.id);
  }
  const eve = await person();
  const key = { "Idempotency-Key": "k" };
  const same = await Promise.all([1, 2, 3].map(() => send(eve, file, "?mode=copy", key)));
  expect(same.every(({ status }) => status < 500)).toBe(true);
  expect(same.some(({ status }) => status === 200)).toBe(true);
});

test("versions leave room for further ones, and are in order", async () => {
  const eve = await person();
  for (const version of [2 ** 53, 0, 1.5]) {
    for (const line of [
      { ...LINES.document, version },
      memory(1, { version }),
      { ...LINES.document_version, version },
    ]) {
      expect((await send(eve, fileOf([LINES.folder, LINES.document, line]))).status).toBe(400);
    }
  }
  const version = 2 ** 53 - 1;
  const history = [2, 1, 2, version, 2 ** 31 - 2].map((number) => ({
    ...LINES.document_version,
    version: number,
  }));
  const lines = [LINES.folder, { ...LINES.document, version }, ...history, memory(1, { version })];
  expect((await send(eve, fileOf(lines))).result.document_versions).toMatchObject({ created: 2, skipped: 3 });
  for (let n = 0; n < 4; n++) {
    await eve.ok(documents.updateDocumentRoute, { params: { document_id: ID }, json: { title: `T${n}` } });
    await eve.ok(memories.updateMemoryRoute, { params: { memory_id: "1" }, json: { topic: `T${n}` } });
  }
  expect((await eve.ok(documents.listVersionsRoute, { params: { document_id: ID } })).total).toBe(5);
});

test("settings are counted by what was done with them", async () => {
  const eve = await person();
  const line = { ...LINES.settings, name: null, timezone: "UTC" };
  const count = async (mode: string, fields: Fields = {}) =>
    (await send(eve, fileOf([{ ...line, ...fields }]), `?mode=${mode}`)).result.settings;
  const [changed, same] = [
    { created: 0, overwritten: 1, skipped: 0, remapped: 0 },
    { created: 0, overwritten: 0, skipped: 1, remapped: 0 },
  ];
  for (const mode of ["skip", "overwrite", "copy"]) expect(await count(mode)).toEqual(same);
  expect(await count("skip", { timezone: "Europe/Berlin" })).toEqual(changed);
  expect(await count("skip", { timezone: "Europe/Rome" })).toEqual(same);
  expect(await count("overwrite", { timezone: "Europe/Rome" })).toEqual(changed);
  expect((await eve.ok(updateMeRoute, { json: {} })).timezone).toBe("Europe/Rome");
});

test("there are at most two unfinished imports, and they can be cancelled", async () => {
  const eve = await person();
  const part = () => send(eve, "a line\n", "", { "Content-Range": "bytes 0-6/1000" });
  const first = await part();
  expect([first.status, (await part()).status]).toEqual([202, 202]);
  const third = await part();
  expect(third).toMatchObject({
    status: 409,
    result: { detail: expect.stringContaining("DELETE /api/import/") },
  });
  const params = { import_id: first.result.id };
  expect((await (await person()).call(imports.deleteImportRoute, { params })).status).toBe(404);
  expect((await eve.call(imports.deleteImportRoute, { params })).status).toBe(204);
  expect((await eve.call(imports.deleteImportRoute, { params })).status).toBe(404);
  const again = await part();
  expect(again.status).toBe(202);
  await env.DB.prepare("UPDATE imports SET received = ? WHERE id = ?")
    .bind(2 ** 31 - 10, again.result.id)
    .run();
  const [, other] = (await eve.ok(imports.listImportsRoute)).items;
  const more = await send(eve, "another\n", `/${other?.id}`, { "Content-Range": "bytes 7-14/1000" });
  expect(more.status).toBe(413);
});

test("a user with corrupt rows does not stop the hourly clean-up for others", async () => {
  const [eve, ada] = [await person(), await person()];
  const waiting = { status: "deferred", deferred_until: "2026-01-01", created_at: NOW } as const;
  for (const client of [eve, ada]) await prepare(await numberOf(client), [waiting]);
  await env.DB.batch([
    env.DB.prepare("UPDATE users SET timezone = 'Mars/Olympus' WHERE number = ?").bind(await numberOf(eve)),
    env.DB.prepare(`INSERT INTO idempotency_keys (owner, route, key, request_hash, answer, created_at)
      VALUES (?, 'r', 'k', 'h', 'a', '2020-01-01T00:00:00.000Z')`).bind(await numberOf(ada)),
    // A step in the middle that fails for another reason.
    env.DB.prepare(
      `CREATE TRIGGER broken BEFORE DELETE ON sessions BEGIN SELECT raise(ABORT, 'broken'); END`,
    ),
    env.DB.prepare("UPDATE sessions SET expires_at = '2020-01-01T00:00:00.000Z' WHERE owner = ?").bind(
      await numberOf(eve),
    ),
  ]);
  await worker.scheduled?.(createScheduledController(), env);
  const status = (client: Client) =>
    numberOf(client).then((number) =>
      env.DB.prepare("SELECT status FROM memories WHERE owner = ?").bind(number).first("status"),
    );
  expect(await status(ada)).toBe("active");
  expect(await env.DB.prepare("SELECT count(*) AS n FROM idempotency_keys").first("n")).toBe(0);
  await env.DB.prepare("DROP TRIGGER broken").run();
});

const LONG = "x".repeat(30_000);
const DEEP = JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`);
const HOSTILE: unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1,
    1.5,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 53 - 1,
    2 ** 53,
    1e308,
    "",
    " ",
    "x",
    "\u0000",
    "\ud800",
    LONG,
  ],
  ...[
    "Mars/Olympus",
    "UTC",
    "europe/berlin",
    "+01:00",
    "Etc/GMT+12",
    "active",
    "deferred",
    "resolved",
    "archived",
  ],
  ...["0000-01-01", "9999-12-31", "2026-02-30", "+010000-01-01", "-000001-01-01"],
  ...[
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "2026-01-01T00:00Z",
    "2026-01-01T00:00:00.123456789012Z",
  ],
  ...[
    "2026-01-01T00:00:00+25:00",
    "2026-13-01T00:00:00Z",
    ID,
    OTHER_ID,
    "doc:1",
    "'; DROP TABLE users; --",
    "$.a",
    "%_",
  ],
  ...[
    [],
    ["x", "x"],
    ["."],
    Array(51).fill("x"),
    Array.from({ length: 50 }, (_, n) => `${n}`),
    [null],
    [[]],
    {},
    DEEP,
  ],
  ...[
    { commitment: 0, blocker: 7 },
    { commitment: 3650, blocker: 1 },
    { commitment: 1e9, blocker: 1 },
  ],
  ...[
    { __proto__: null, toString: 1 },
    { format: "markdown", text: "a\n=\n".repeat(2_000) },
    { text: Array(500).fill(1e20) },
  ],
];

/** Deterministic random numbers, so that a failure can be reproduced (mulberry32). */
function randomOf(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** How many of the remaining resources are also changed. */
const SAMPLE = 4;

/** Calls everything that reads what an import may have written. Throws when a request fails. */
async function useEverything(client: Client): Promise<void> {
  const reads = [
    dashboard.listCommitmentsRoute,
    dashboard.listAlertsRoute,
    dashboard.listHistoryRoute,
    listFoldersRoute,
  ];
  for (const route of reads) await client.ok(route);
  for (const path of ["/api/dashboard/summary", "/api/trash", "/api/tags", "/api/export", "/api/auth/me"]) {
    const answer = await client.fetch(path);
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.arrayBuffer();
  }
  const query = { q: "walrus", type: "all" };
  await client.ok(searchRoute, { query });
  const found = await client.ok(documents.listDocumentsRoute, { query: { limit: 100 } });
  for (const { id } of found.items.slice(0, SAMPLE)) {
    const params = { document_id: id };
    await client.ok(documents.getDocumentRoute, { params });
    await client.ok(documents.listVersionsRoute, { params });
    await client.ok(documents.updateDocumentRoute, { params, json: { title: "Changed", tags: ["y"] } });
  }
  const { items } = await client.ok(memories.listMemoriesRoute, { query: { limit: 100 } });
  for (const { id } of items.slice(0, SAMPLE)) {
    const params = { memory_id: String(id) };
    await client.ok(memories.getMemoryRoute, { params });
    await client.ok(memories.updateMemoryRoute, { params, json: { project: "Changed" } });
    await client.ok(memories.listMemoryEventsRoute, { params });
    for (const route of [
      memories.reopenMemoryRoute,
      memories.confirmMemoryRoute,
      memories.resolveMemoryRoute,
    ]) {
      await client.ok(route, { params });
    }
  }
  const again = await (await client.fetch("/api/export")).text();
  expect((await send(client, again, "?mode=overwrite")).status).toBe(200);
}

const TYPES = Object.keys(LINES) as (keyof typeof LINES)[];

const uuidOf = (n: number) => `01936b1e-7c3a-7f10-9a53-${String(n).padStart(12, "0")}`;

/** Copies of the line with a different id for each value, so that one file can contain them all. */
const identified = (type: keyof typeof LINES, n: number): Fields => {
  if (type === "folder" || type === "document") return { ...LINES[type], id: uuidOf(n + 1) };
  if (type === "memory") return { ...LINES[type], id: n + 2 };
  return type === "document_version" ? { ...LINES[type], version: n + 1 } : LINES[type];
};

/** A file in which a field of one kind of line has each of these values, and everything else is valid. */
const fileWith = (type: keyof typeof LINES, variants: Fields[]) =>
  fileOf(
    TYPES.flatMap((one) =>
      one === type ? variants : [{ ...LINES[one], ...(one === "document" && { version: 1000 }) }],
    ),
  );

const isAccepted = (line: Fields) => typeof readLine(JSON.stringify(line)) !== "string";

const FIELDS = TYPES.flatMap((type) =>
  Object.keys(LINES[type])
    .filter((field) => field !== "type")
    .map((field) => [type, field] as const),
);

test.for(FIELDS)("hostile values of %s.%s never fail a request, now or later", async ([type, field]) => {
  const client = await person();
  const random = randomOf(FIELDS.length + field.length);
  const variants = HOSTILE.map((value, n): Fields => ({ ...identified(type, n), [field]: value }));
  const accepted = variants.filter(isAccepted);
  const refused = variants.filter((line) => !isAccepted(line));
  for (const line of [refused[random(refused.length)], refused[random(refused.length)]]) {
    if (line) expect(await send(client, fileWith(type, [line]))).toMatchObject({ status: 400 });
  }
  for (const mode of ["skip", "copy", "overwrite"]) {
    const { status, text } = await send(client, fileWith(type, accepted), `?mode=${mode}`);
    expect([status, text]).toEqual([200, text]);
  }
  await useEverything(client);
});
