import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute, listFoldersRoute } from "../../../src/features/folders/routes.ts";
import * as imports from "../../../src/features/import/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import worker from "../../../src/index.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { create, update } from "../../kit/documents.ts";
import { send } from "../../kit/files.ts";
import { type Fields, fileOf, ID, LINES, memory, NOW } from "../../kit/import-lines.ts";
import { prepare } from "../../kit/memories.ts";
import { change, make } from "../../kit/records.ts";

// An imported file is untrusted input: no content of it harms the importer or others.

/** Below, at and above what counters of 31, 32, 40 and 53 bits hold. */
const NUMBERS = [31, 32, 40, 53]
  .flatMap((bits) => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1])
  .filter(Number.isSafeInteger);

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

test("an answer does not reveal whether another account has an id", async () => {
  const ada = await person();
  const folder = await ada.ok(createFolderRoute, { json: { name: "Ada's" } });
  const document = await create(ada, { title: "Ada's", content: { a: 1 } });
  await update(ada, document, { title: "Changed" });
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
    await update(eve, { id: ID }, { title: `T${n}` });
    await change(eve, { id: 1 }, { topic: `T${n}` });
  }
  expect((await eve.ok(documents.listVersionsRoute, { params: { document_id: ID } })).total).toBe(6);
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
  expect(third).toMatchObject({ status: 409, detail: expect.stringContaining("DELETE /api/import/") });
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

test("a first part that does not have the range it says is refused and leaves nothing", async () => {
  const eve = await person();
  for (const [range, part] of [
    ["bytes 2100-2101/*", "a line\n"],
    ["bytes 0-0/0", "a line\n"],
    ["bytes 5-3/100", "a line\n"],
    ["bytes 0-7/100", "a line\n"],
    ["bytes 0-5/100", "a line\n"],
    ["bytes 0-5/6", "a line\n"],
    ["bytes 0-999999/2000000", "a line\n".repeat(100_000)],
  ] as const)
    expect([range, (await send(eve, part, "", { "Content-Range": range })).status]).toEqual([range, 400]);
  expect((await eve.ok(imports.listImportsRoute)).total).toBe(0);
});

test("a later part of another length than was said is refused, and the import continues from where it was", async () => {
  const eve = await person();
  const { result } = await send(eve, "a line\n", "", { "Content-Range": "bytes 0-6/1000" });
  const path = `/${result.id}`;
  for (const range of ["bytes 7-8/1000", "bytes 7-20/1000", "bytes 7-2000/1000"])
    expect((await send(eve, "another\n", path, { "Content-Range": range })).status).toBe(400);
  expect((await eve.ok(imports.getImportRoute, { params: { import_id: result.id } })).received).toBe(7);
  expect((await send(eve, "another\n", path, { "Content-Range": "bytes 7-14/1000" })).status).toBe(202);
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
