import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { logoutAllRoute } from "../../src/features/auth/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { person } from "../kit/client.ts";
import { ClientOf } from "../kit/database.ts";
import { operations, pathOf } from "../kit/operations.ts";
import { Replicated } from "../kit/replica.ts";

// The benefit and the cost of bookmarks: reads from a nearby replica, which learns of a sign-out a little later.

let database: Replicated;
let ada: ClientOf;

beforeEach(async () => {
  await applyD1Migrations(env.REPLICA, env.MIGRATIONS);
  database = new Replicated();
  ada = new ClientOf(await person(), database.database);
  await database.catchUp();
});

const write = async (title: string) => {
  const { body, headers } = await ada.call(documents.createDocumentRoute, { json: { title } });
  return { params: { document_id: body.id }, bookmark: headers.get("X-D1-Bookmark") ?? "" };
};

const read = (params: Record<string, string>, bookmark?: string) =>
  ada.call(documents.getDocumentRoute, {
    params,
    headers: bookmark ? { "X-D1-Bookmark": bookmark } : {},
  });

test("a reader with a bookmark is answered by the replica, in one call that includes authentication", async () => {
  const { params, bookmark } = await write("Packing list");
  await database.catchUp();
  const before = { ...database.answered };
  expect((await read(params, bookmark)).status).toBe(200);
  expect(database.answered).toEqual({ primary: before.primary, replica: before.replica + 1 });
});

test("the bookmark of a write is newer than a lagging replica: a client reads its own writes", async () => {
  const old = await write("Old");
  await database.catchUp();
  const { params, bookmark } = await write("New");
  expect((await read(params, bookmark)).body).toMatchObject({ title: "New" });
  // An older bookmark requires no more than its own state, and without one the primary answers.
  expect((await read(params, old.bookmark)).status).toBe(404);
  expect((await read(params)).status).toBe(200);
});

test("what shows an account and its sessions is never read from the replica", async () => {
  const { bookmark } = await write("Packing list");
  await database.catchUp();
  const reads = operations.filter(({ path, method }) => method === "get" && path.startsWith("/api/auth/"));
  expect(reads.length).toBeGreaterThan(3);
  for (const route of reads) {
    const before = { ...database.answered };
    const { status } = await ada.fetch(pathOf(route), { headers: { "X-D1-Bookmark": bookmark } });
    expect([route.path, status]).toEqual([route.path, 200]);
    expect([route.path, database.answered.replica]).toEqual([route.path, before.replica]);
  }
});

test("an ended session can read only until the replica learns of its end, and can never write", async () => {
  const { params, bookmark } = await write("Packing list");
  await database.catchUp();
  await ada.call(logoutAllRoute);
  expect((await read(params, bookmark)).status).toBe(200);
  expect((await read(params)).status).toBe(401);
  const headers = { "X-D1-Bookmark": bookmark };
  const writes = [
    ada.call(documents.updateDocumentRoute, { params, headers, json: { title: "Stolen" } }),
    ada.call(documents.deleteDocumentRoute, { params, headers }),
    ada.call(documents.createDocumentRoute, { headers, json: { title: "Stolen" } }),
  ];
  for (const { status } of await Promise.all(writes)) expect(status).toBe(401);
  await database.catchUp();
  expect((await read(params, bookmark)).status).toBe(401);
  const { results } = await env.DB.prepare("SELECT title FROM documents").all();
  expect(results).toEqual([{ title: "Packing list" }]);
});
