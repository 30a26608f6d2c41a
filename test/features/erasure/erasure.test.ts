import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import { deleteMeRoute, getMeRoute } from "../../../src/features/auth/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { beginUploadRoute } from "../../../src/features/files/upload-routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import { createMemoryRoute, resolveMemoryRoute } from "../../../src/features/memories/routes.ts";
import { subscribeToPushRoute } from "../../../src/features/push/routes.ts";
import { testWebhookRoute, updateWebhookRoute } from "../../../src/features/webhooks/routes.ts";
import worker from "../../../src/index.ts";
import { type Client, PASSWORD, person, signIn } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { accountOf, hookOf, workOf } from "../../kit/hooks.ts";
import { ask } from "../../kit/mcp.ts";
import { connect } from "../../kit/oauth.ts";
import { browserKeys } from "../../kit/push.ts";
import { keysIn, upload as storeFile } from "../../kit/stored-files.ts";

/** Every table with an owner column, with the number of rows of one user. */
async function owned(number: number): Promise<Record<string, number>> {
  // The tables of moves say where accounts are that have left a home; this one never did.
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_schema
      WHERE type = 'table' AND sql LIKE '%owner INTEGER%' AND name NOT IN ('moves', 'moved_secrets')`,
  ).all<{ name: string }>();
  const counts: Record<string, number> = {};
  for (const { name } of results) {
    const statement = env.DB.prepare(`SELECT count(*) AS n FROM ${name} WHERE owner = ?`).bind(number);
    counts[name] = (await statement.first<{ n: number }>())?.n ?? 0;
  }
  return counts;
}

/** Puts something into every table. Add new tables here. */
async function fill(client: Client): Promise<void> {
  await client.ok(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:read"] } });
  const top = await client.ok(createFolderRoute, {
    json: { name: "Top" },
    headers: { "Idempotency-Key": "k" },
  });
  const inner = await client.ok(createFolderRoute, { json: { name: "Inner", parent_id: top.id } });
  const { id } = await client.ok(createMemoryRoute, {
    json: { memory_type: "commitment", topic: "Send the slides", content: "To Grace", tags: ["x", "Über"] },
  });
  await client.ok(resolveMemoryRoute, { params: { memory_id: String(id) }, json: {} });
  const number = await numberOf(client);
  const { params } = await hookOf(client);
  await client.ok(updateWebhookRoute, { params, json: { paused: true } });
  await client.ok(testWebhookRoute, { params });
  await client.ok(subscribeToPushRoute, {
    json: { endpoint: `https://push.example.com/${crypto.randomUUID()}`, keys: await browserKeys() },
  });
  await env.DB.prepare(
    "INSERT INTO calendar_tokens SELECT number, id, created_at FROM users WHERE number = ?",
  )
    .bind(number)
    .run();
  await env.DB.batch(
    [
      "INSERT INTO customers (owner, customer_id, plan_otherwise) VALUES (?1, 'cus_' || ?1, 'free')",
      "INSERT INTO second_factors (owner, secret, created_at) VALUES (?1, 'x', 'x')",
      "INSERT INTO recovery_codes VALUES (?1, 'x')",
      "INSERT INTO passkeys VALUES ('k' || ?1, ?1, 'x', 'c' || ?1, 'x', 0, '[]', 'x', NULL)",
      `INSERT INTO later (owner, kind, key, id, state, title, payload, actor, created_at, updated_at)
        VALUES (?1, 'tag', 'x', 'j' || ?1, 'done', 'x', '{}', '{}', 'x', 'x')`,
      "INSERT INTO file_texts VALUES (?1, 'x', 1, 'x')",
      "INSERT INTO file_words (owner, file_id, due_at) VALUES (?1, 'x', '9999')",
      "INSERT INTO tidy_looks VALUES (?1, 'ended', '{}')",
      "INSERT INTO tidy_kept VALUES (?1, 'secret', 'mem:1', '', 'x')",
      "INSERT INTO file_looks VALUES (?1, 'x', '[]')",
      "INSERT INTO passkey_challenges VALUES ('h' || ?1, ?1, 'x')",
    ].map((statement) => env.DB.prepare(statement).bind(number)),
  );
  const content = { text: "[[Paper]]", aliases: ["Sheet"] };
  const paper = await client.ok(documents.createDocumentRoute, { json: { title: "Paper", content } });
  await storeFile(client, undefined, { query: `?document_id=${paper.id}&memory_id=${id}` });
  await client.ok(beginUploadRoute, { json: { name: "talk.mp4", bytes: 1000 } });
  const upload = { method: "POST", body: "a part\n", headers: { "Content-Range": "bytes 0-6/1000" } };
  expect((await client.fetch("/api/import", upload)).status).toBe(202);
  const created = Array.from({ length: 60 }, (_, n) => ({
    operation: "create",
    title: `Plan ${n}`,
    tags: ["x"],
    folder_id: inner.id,
  }));
  const { results } = await client.ok(documents.bulkDocumentsRoute, { json: { operations: created } });
  const operations = results.flatMap(({ id }, n) => {
    if (n % 3 > 0) return [];
    return [{ operation: "update", id, title: "Changed" }, ...(n % 2 ? [{ operation: "delete", id }] : [])];
  });
  await client.ok(documents.bulkDocumentsRoute, { json: { operations } });
  // What comes after the answers, such as reading the words of a file, would change rows at any moment.
  await workOf(accountOf(client));
}

test("an erased account leaves nothing in any table, and its email address can be registered again", async () => {
  const ada = await person({ email: "ada@example.com" });
  const bob = await person();
  await fill(ada);
  await fill(bob);
  await ask((await connect("ada@example.com")).mcp, "tools/list");
  const [number, bobs] = [await numberOf(ada), await numberOf(bob)];
  const { id } = await ada.ok(getMeRoute);
  expect(await keysIn(id)).toHaveLength(1);
  const before = await owned(number);
  expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([]);
  const bobBefore = await owned(bobs);

  const wrong = await ada.refusal(deleteMeRoute, { json: { password: "not this one" } });
  expect(wrong.status).toBe(403);
  expect(await owned(number)).toEqual(before);

  expect((await ada.call(deleteMeRoute, { json: { password: PASSWORD } })).status).toBe(204);
  expect(Object.values(await owned(number)).every((rows) => rows === 0)).toBe(true);
  expect(await env.DB.prepare("SELECT 1 FROM users WHERE number = ?").bind(number).first()).toBeNull();
  expect(await env.DB.prepare("SELECT count(*) AS n FROM refresh_tokens").first()).toEqual({ n: 1 });
  expect(await owned(bobs)).toEqual(bobBefore);
  expect(await keysIn(id)).toEqual([]);
  expect(await keysIn()).toHaveLength(1);
  expect((await ada.call(getMeRoute)).status).toBe(401);
  await expect(signIn("ada@example.com")).rejects.toThrow("401");
  await person({ email: "ada@example.com" });
});

test("an interrupted erasure is completed by the cron handler", async () => {
  const ada = await person({ email: "ada@example.com" });
  await fill(ada);
  await connect("ada@example.com");
  const { id } = await ada.ok(getMeRoute);
  const number = await numberOf(ada);
  // The state after a process was killed right after the first transaction.
  await env.DB.batch([
    env.DB.prepare("DELETE FROM refresh_tokens"),
    env.DB.prepare("DELETE FROM sessions"),
    env.DB.prepare("UPDATE users SET email = 'erased:x', password_hash = '', deleted_at = ?").bind(
      new Date().toISOString(),
    ),
  ]);
  await person({ email: "ada@example.com" });
  await worker.scheduled(createScheduledController(), env);
  await workOf({ home: 1, owner: number });
  expect(Object.values(await owned(number)).every((rows) => rows === 0)).toBe(true);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM users").first()).toEqual({ n: 1 });
  const connections = await env.OAUTH_KV.list();
  expect(connections.keys.filter(({ name }) => name.includes(id))).toEqual([]);
});
