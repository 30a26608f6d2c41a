import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import {
  createApiKeyRoute,
  listApiKeysRoute,
  revokeApiKeyRoute,
} from "../../../src/features/api-keys/routes.ts";
import { getMeRoute } from "../../../src/features/auth/routes.ts";
import { getSubscriptionRoute } from "../../../src/features/billing/routes.ts";
import { createDocumentRoute, listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import { createMemoryRoute, listMemoriesRoute } from "../../../src/features/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { hashSecret, newSecret } from "../../../src/platform/core/secret.ts";
import { Client, person, visitor } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { ask, initialize, Session, stateless, use } from "../../kit/mcp.ts";

/** A program that holds a key. */
const holder = (key: string) =>
  new Client({ access_token: key, refresh_token: "", token_type: "bearer", expires_in: 0 });

async function keyOf(owner: Client, ...scopes: string[]): Promise<Client> {
  const { key } = await owner.ok(createApiKeyRoute, { json: { name: "Backup script", scopes } });
  return holder(key);
}

describe("an API key", () => {
  test("is shown once, and its owner can identify, limit and revoke it", async () => {
    const ada = await person();
    const made = await ada.ok(createApiKeyRoute, {
      json: { name: "Backup", scopes: ["memory:read", "docs:read", "docs:read"] },
    });
    expect(made.key).toMatch(/^cpk_1\.\d+\.[\w-]{43}$/);
    expect(made).toMatchObject({
      scopes: ["docs:read", "memory:read"],
      expires_at: null,
      last_used_at: null,
    });
    const { key, ...shown } = made;
    expect(key.startsWith(shown.hint)).toBe(true);
    expect(shown.hint).toMatch(/^cpk_1\.\d+\.[\w-]{4}$/);
    expect(await ada.ok(listApiKeysRoute)).toEqual({ items: [shown], total: 1 });
    const { results } = await env.DB.prepare("SELECT * FROM api_keys").all();
    expect(JSON.stringify(results)).not.toContain(key);

    const program = holder(key);
    expect((await program.ok(listDocumentsRoute)).total).toBe(0);
    const [used] = (await ada.ok(listApiKeysRoute)).items;
    expect(used?.last_used_at).not.toBeNull();

    await ada.ok(revokeApiKeyRoute, { params: { api_key_id: made.id } });
    expect(await program.refusal(listDocumentsRoute)).toMatchObject({ status: 401 });
    expect(await ada.refusal(revokeApiKeyRoute, { params: { api_key_id: made.id } })).toMatchObject({
      status: 404,
    });
  });

  test("contains its owner's number, and is refused with any other number", async () => {
    const [ada, eve] = [await person(), await person()];
    const json = { name: "K", scopes: ["docs:read"] };
    const [adas, eves] = [
      await ada.ok(createApiKeyRoute, { json }),
      await eve.ok(createApiKeyRoute, { json }),
    ];
    const numbers = [adas, eves].map(({ key }) => key.split(".")[1]);
    expect(numbers).toEqual([String(await numberOf(ada)), String(await numberOf(eve))]);
    const [secret = ""] = eves.key.split(".").slice(-1);
    const wrong = [numbers[0], "0", "01", "-1", "1e1", "999999", "9".repeat(17), ""].map(
      (number) => `cpk_1.${number}.${secret}`,
    );
    for (const key of [...wrong, `cpk_4.${numbers[1]}.${secret}`, `cpk_${secret}`, `cpk_.${secret}`]) {
      expect(await holder(key).refusal(listDocumentsRoute), key).toMatchObject({ status: 401 });
      expect((await ask(holder(key), "tools/list")).status, key).toBe(401);
    }
    await holder(eves.key).ok(listDocumentsRoute);
  });

  test("of the older form, which is only a secret, works until it is revoked", async () => {
    const ada = await person();
    const { id } = await ada.ok(createApiKeyRoute, { json: { name: "Old", scopes: ["docs:read"] } });
    const key = `cpk_${newSecret()}`;
    await env.DB.prepare("UPDATE api_keys SET hash = ? WHERE id = ?")
      .bind(await hashSecret(key), id)
      .run();
    await holder(key).ok(listDocumentsRoute);
    expect(await use(stateless(holder(key)), "list_documents")).toMatchObject({ total: 0 });
    await ada.ok(revokeApiKeyRoute, { params: { api_key_id: id } });
    expect(await holder(key).refusal(listDocumentsRoute)).toMatchObject({ status: 401 });
    expect((await ask(holder(key), "tools/list")).status).toBe(401);
  });

  test("records its use once an hour, but not refused requests", async () => {
    const ada = await person();
    const program = await keyOf(ada, "docs:read");
    const used = async () => (await ada.ok(listApiKeysRoute)).items[0]?.last_used_at;
    const isUsedAt = (at: string) => env.DB.prepare("UPDATE api_keys SET last_used_at = ?").bind(at).run();
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    await program.refusal(listMemoriesRoute);
    expect(await used()).toBeNull();
    await program.ok(listDocumentsRoute);
    expect(await used()).not.toBeNull();
    for (const use of [() => program.ok(listDocumentsRoute), () => ask(program, "tools/list")]) {
      const recently = ago(55);
      await isUsedAt(recently);
      await use();
      expect(await used()).toBe(recently);
      await isUsedAt(ago(65));
      await use();
      expect(Date.parse((await used()) ?? "")).toBeGreaterThan(Date.parse(recently));
    }
  });

  test("is the same when the request is repeated, and is stored nowhere in plain text", async () => {
    const ada = await person();
    const parts = { headers: { "Idempotency-Key": "k" }, json: { name: "Backup", scopes: ["docs:read"] } };
    const made = await ada.ok(createApiKeyRoute, parts);
    expect(await ada.ok(createApiKeyRoute, parts)).toEqual(made);
    expect((await ada.ok(listApiKeysRoute)).total).toBe(1);
    const { results } = await env.DB.prepare("SELECT * FROM idempotency_keys").all();
    expect(JSON.stringify(results)).not.toContain(made.key);
  });

  test("gives access to what its scopes cover, and gets 403 for everything else", async () => {
    const ada = await person();
    const reader = await keyOf(ada, "docs:read");
    await reader.ok(listDocumentsRoute);
    await reader.ok(searchRoute, { query: { q: "x" } });
    await reader.ok(getSubscriptionRoute);
    for (const [route, parts] of [
      [createDocumentRoute, { json: { title: "T" } }],
      [listMemoriesRoute, {}],
      [createMemoryRoute, { json: { memory_type: "context", topic: "T", content: "C" } }],
      [getMeRoute, {}],
      [createApiKeyRoute, { json: { name: "More", scopes: ["docs:write"] } }],
    ] as const) {
      expect(await reader.refusal(route, parts), route.path).toMatchObject({ status: 403 });
    }
    for (const type of ["all", "memories"]) {
      expect(await reader.refusal(searchRoute, { query: { q: "x", type } }), type).toMatchObject({
        status: 403,
      });
    }
    expect((await reader.refusal(createDocumentRoute, { json: { title: "T" } })).detail).toContain(
      "docs:write",
    );
    const writer = await keyOf(ada, "docs:write", "memory:write");
    await writer.ok(createDocumentRoute, { json: { title: "T" } });
    await writer.ok(createMemoryRoute, { json: { memory_type: "context", topic: "T", content: "C" } });
    expect(await writer.refusal(listDocumentsRoute)).toMatchObject({ status: 403 });
  });

  test("expires, and cannot be created with a time in the past", async () => {
    const ada = await person();
    const late = { name: "Late", scopes: ["docs:read"], expires_at: "2020-01-01T00:00:00Z" };
    expect(await ada.refusal(createApiKeyRoute, { json: late })).toMatchObject({ status: 422 });
    const made = await ada.ok(createApiKeyRoute, {
      json: { ...late, expires_at: "2099-01-01T02:00:00+02:00" },
    });
    expect(made.expires_at).toBe("2099-01-01T00:00:00.000Z");
    const program = holder(made.key);
    await program.ok(listDocumentsRoute);
    await env.DB.prepare("UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000Z'").run();
    expect(await program.refusal(listDocumentsRoute)).toMatchObject({ status: 401 });
  });

  test("can be seen and revoked only by its owner", async () => {
    const [ada, eve] = [await person(), await person()];
    const made = await ada.ok(createApiKeyRoute, { json: { name: "K", scopes: ["docs:read"] } });
    expect((await eve.ok(listApiKeysRoute)).items).toEqual([]);
    const foreign = await eve.call(revokeApiKeyRoute, { params: { api_key_id: made.id } });
    const random = await eve.call(revokeApiKeyRoute, {
      params: { api_key_id: "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42" },
    });
    expect([foreign.status, foreign.text]).toEqual([404, random.text]);
    await ada.ok(createDocumentRoute, { json: { title: "Secret" } });
    expect((await (await keyOf(eve, "docs:read")).ok(listDocumentsRoute)).total).toBe(0);
    for (const wrong of [`${made.key}x`, made.key.slice(0, -1), made.key.toLowerCase(), "cpk_", "cpk_x"]) {
      expect(await holder(wrong).refusal(listDocumentsRoute), wrong).toMatchObject({ status: 401 });
    }
    expect(await visitor().refusal(listApiKeysRoute)).toMatchObject({ status: 401 });
  });

  test("works only in the Authorization header, and gives no access to the account itself", async () => {
    const ada = await person();
    const program = await keyOf(ada, "docs:read", "docs:write", "memory:read", "memory:write");
    const key = program.tokens?.access_token ?? "";
    const status = async (path: string, headers: Record<string, string>, method = "GET") =>
      (await visitor().fetch(path, { method, headers })).status;
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
      expect(await status("/api/documents", { Authorization: `${scheme} ${key}` }), scheme).toBe(200);
      expect(await status("/api/auth/me", { Authorization: `${scheme} ${key}` }), scheme).toBe(403);
    }
    for (const header of [
      `Bearer  ${key}`,
      `Bearer ${key}, Bearer ${key}`,
      `Token ${key}`,
      key,
      `Basic ${btoa(key)}`,
    ]) {
      expect(await status("/api/documents", { Authorization: header }), header).toBe(401);
    }
    for (const name of ["__Host-commonplace", "__Host-commonplace-form", "Authorization", "token"]) {
      expect(await status("/api/documents", { Cookie: `${name}=${key}` }), name).toBe(401);
      const page = await visitor().fetch("/open/memory/1", {
        headers: { Cookie: `${name}=${key}` },
        redirect: "manual",
      });
      expect(page.status, name).toBe(303);
    }
    expect(await status(`/api/documents?access_token=${key}`, {})).toBe(401);
    for (const path of ["/api/auth/logout-all", "/api/auth/password"]) {
      const headers = {
        Authorization: `Bearer ${key}`,
        "Idempotency-Key": "k",
        "Content-Type": "application/json",
      };
      expect(await status(path, headers, "POST"), path).toBe(403);
    }
    const refresh = await visitor().fetch("/api/auth/refresh", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ refresh_token: key }),
    });
    expect(refresh.status).toBe(401);
  });

  test("that is revoked is refused in its MCP sessions, even in one that another key continues", async () => {
    const [ada, eve] = [await person(), await person()];
    const made = await ada.ok(createApiKeyRoute, { json: { name: "K", scopes: ["docs:read"] } });
    const program = holder(made.key);
    const session = await initialize(program);
    expect((await session.ask("tools/list")).status).toBe(200);
    await ada.ok(revokeApiKeyRoute, { params: { api_key_id: made.id } });
    expect((await session.ask("tools/list")).status).toBe(401);
    const stolen = new Session(await keyOf(eve, "docs:read"), session.id, session.version);
    expect((await stolen.ask("tools/list")).status).toBe(404);
    // A session belongs to the person: another of their keys may continue it within its own scopes.
    const narrow = new Session(await keyOf(ada, "memory:write"), session.id, session.version);
    const { result } = await narrow.ask("tools/list");
    expect(JSON.stringify(result)).toContain("remember");
    expect(JSON.stringify(result)).not.toContain("list_documents");
  });

  test("gives access to MCP within its scopes: other tools are not listed, and are refused with 403", async () => {
    const ada = await person();
    const reader = await keyOf(ada, "docs:read");
    const names = [
      "search",
      "fetch",
      "list_documents",
      "list_trash",
      "list_versions",
      "list_changes",
      "tidy",
      "whoami",
    ];
    const session = await initialize(reader);
    for (const asker of [session, stateless(reader)]) {
      const { result } = await asker.ask("tools/list", {});
      expect(result?.tools).toMatchObject(names.map((name) => ({ name })));
      expect(await use(asker, "whoami")).toMatchObject({ scopes: ["docs:read"], documents: 0 });
      const refused = await asker.ask("tools/call", { name: "remember", arguments: {} });
      expect(refused.status).toBe(403);
      expect(refused.headers.get("WWW-Authenticate")).toContain('error="insufficient_scope"');
      expect(refused.headers.get("WWW-Authenticate")).toContain('scope="docs:read memory:write"');
      const record = await asker.ask("tools/call", { name: "fetch", arguments: { id: "mem:1" } });
      expect(record.status).toBe(403);
      expect((await asker.ask("resources/read", { uri: "briefing://today" })).status).toBe(403);
    }
    const bad = holder("cpk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    expect((await ask(bad, "tools/list")).status).toBe(401);
  });
});
