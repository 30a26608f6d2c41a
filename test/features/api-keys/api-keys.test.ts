import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { TOOLS } from "../../../src/doors/mcp/tools.ts";
import * as routes from "../../../src/features/api-keys/routes.ts";
import { getSubscriptionRoute } from "../../../src/features/billing/routes.ts";
import { createDocumentRoute, listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import { createMemoryRoute, listMemoriesRoute } from "../../../src/features/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { hashSecret, newSecret } from "../../../src/platform/core/secret.ts";
import { type Client, person, visitor } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { ask, bothGenerations, initialize, Session, stateless, use } from "../../kit/mcp.ts";
import { bearer } from "../../kit/oauth.ts";
import { keyOf } from "../../kit/scopes.ts";

// Which operations a key may call is in test/house/scopes.test.ts.

const READER = { name: "Backup", scopes: ["docs:read"] };
const create = (owner: Client, fields = {}) =>
  owner.ok(routes.createApiKeyRoute, { json: { ...READER, ...fields } });
const isRefused = async (key: string) => {
  expect(await bearer(key).refusal(listDocumentsRoute), key).toMatchObject({ status: 401 });
  expect((await ask(bearer(key), "tools/list")).status, key).toBe(401);
};

describe("an API key", () => {
  test("is shown once, is stored nowhere, and its owner can identify, limit and revoke it", async () => {
    const ada = await person();
    const scopes = ["memory:read", "docs:read", "docs:read"];
    const parts = { headers: { "Idempotency-Key": "k" }, json: { name: "Backup", scopes } };
    const { key, ...shown } = await ada.ok(routes.createApiKeyRoute, parts);
    expect(key).toMatch(/^cpk_1\.\d+\.[\w-]{43}$/);
    expect(shown.hint).toMatch(/^cpk_1\.\d+\.[\w-]{4}$/);
    expect(key.startsWith(shown.hint)).toBe(true);
    expect(shown).toMatchObject({
      scopes: ["docs:read", "memory:read"],
      expires_at: null,
      last_used_at: null,
    });
    expect(await ada.ok(routes.listApiKeysRoute)).toEqual({ items: [shown], total: 1 });
    for (const table of ["api_keys", "idempotency_keys"]) {
      const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all();
      expect(results.length, table).toBe(1);
      expect(JSON.stringify(results), table).not.toContain(key);
    }
    const session = await initialize(bearer(key));
    expect((await session.ask("tools/list")).status).toBe(200);
    await ada.ok(routes.revokeApiKeyRoute, { params: { api_key_id: shown.id } });
    await isRefused(key);
    expect((await session.ask("tools/list")).status).toBe(401);
    const again = { params: { api_key_id: shown.id } };
    expect(await ada.refusal(routes.revokeApiKeyRoute, again)).toMatchObject({ status: 404 });
  });

  test("contains its owner's number, and is refused with any other number or secret", async () => {
    const [ada, eve] = [await person(), await person()];
    const [adas, { key }] = [await create(ada), await create(eve)];
    const numbers = [adas.key, key].map((one) => one.split(".")[1]);
    expect(numbers).toEqual([String(await numberOf(ada)), String(await numberOf(eve))]);
    const [secret = ""] = key.split(".").slice(-1);
    for (const number of [numbers[0], "0", "01", "-1", "1e1", "999999", "9".repeat(17), ""])
      await isRefused(`cpk_1.${number}.${secret}`);
    for (const wrong of [`cpk_4.${numbers[1]}.${secret}`, `cpk_${secret}`, `cpk_.${secret}`, "cpk_", "cpk_x"])
      await isRefused(wrong);
    for (const wrong of [`${key}x`, key.slice(0, -1), key.toLowerCase()]) await isRefused(wrong);
    await ada.ok(createDocumentRoute, { json: { title: "Ada's" } });
    expect((await bearer(key).ok(listDocumentsRoute)).total).toBe(0);
  });

  test("of the older form, which is only a secret, works until it is revoked", async () => {
    const ada = await person();
    const { id } = await create(ada);
    const key = `cpk_${newSecret()}`;
    const hash = await hashSecret(key);
    await env.DB.prepare("UPDATE api_keys SET hash = ? WHERE id = ?").bind(hash, id).run();
    await bearer(key).ok(listDocumentsRoute);
    expect(await use(stateless(bearer(key)), "list_documents")).toMatchObject({ total: 0 });
    await ada.ok(routes.revokeApiKeyRoute, { params: { api_key_id: id } });
    await isRefused(key);
  });

  test("records its use once an hour, but not refused requests", async () => {
    const ada = await person();
    const program = await keyOf(ada, ["docs:read"]);
    const used = async () => (await ada.ok(routes.listApiKeysRoute)).items[0]?.last_used_at;
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

  test("gives access to what its scopes cover, and a refusal names the scope that is missing", async () => {
    const ada = await person();
    const reader = await keyOf(ada, ["docs:read"]);
    await reader.ok(searchRoute, { query: { q: "x" } });
    await reader.ok(getSubscriptionRoute);
    const json = { title: "T" };
    expect(await reader.refusal(createDocumentRoute, { json })).toMatchObject({
      ...{ status: 403, detail: expect.stringContaining("docs:write") },
    });
    for (const type of ["all", "memories"])
      expect((await reader.refusal(searchRoute, { query: { q: "x", type } })).status, type).toBe(403);
    const writer = await keyOf(ada, ["docs:write", "memory:write"]);
    await writer.ok(createDocumentRoute, { json });
    await writer.ok(createMemoryRoute, { json: { memory_type: "context", topic: "T", content: "C" } });
  });

  test("expires, and cannot be created with a time in the past", async () => {
    const ada = await person();
    const json = { ...READER, expires_at: "2020-01-01T00:00:00Z" };
    expect(await ada.refusal(routes.createApiKeyRoute, { json })).toMatchObject({ status: 422 });
    const made = await create(ada, { expires_at: "2099-01-01T02:00:00+02:00" });
    expect(made.expires_at).toBe("2099-01-01T00:00:00.000Z");
    await bearer(made.key).ok(listDocumentsRoute);
    await env.DB.prepare("UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000Z'").run();
    await isRefused(made.key);
  });

  test("works only in the Authorization header, and is no refresh token", async () => {
    const { key } = await create(await person());
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await visitor().fetch(path, { headers, redirect: "manual" })).status;
    for (const scheme of ["Bearer", "bearer", "bEaReR"])
      expect(await status("/api/documents", { Authorization: `${scheme} ${key}` }), scheme).toBe(200);
    const twice = `Bearer ${key}, Bearer ${key}`;
    for (const Authorization of [`Bearer  ${key}`, twice, `Token ${key}`, key, `Basic ${btoa(key)}`])
      expect(await status("/api/documents", { Authorization }), Authorization).toBe(401);
    for (const name of ["__Host-commonplace", "__Host-commonplace-form", "Authorization", "token"]) {
      expect(await status("/api/documents", { Cookie: `${name}=${key}` }), name).toBe(401);
      expect(await status("/open/memory/1", { Cookie: `${name}=${key}` }), name).toBe(303);
    }
    expect(await status(`/api/documents?access_token=${key}`)).toBe(401);
    const body = JSON.stringify({ refresh_token: key });
    const headers = { "Content-Type": "application/json" };
    const refresh = await visitor().fetch("/api/auth/refresh", { method: "POST", headers, body });
    expect(refresh.status).toBe(401);
  });

  test("may continue the MCP session of another key of its owner, within its own scopes, and of nobody else", async () => {
    const [ada, eve] = [await person(), await person()];
    const { id, version } = await initialize(await keyOf(ada, ["docs:read"]));
    const stolen = new Session(await keyOf(eve, ["docs:read"]), id, version);
    expect((await stolen.ask("tools/list")).status).toBe(404);
    const narrow = new Session(await keyOf(ada, ["memory:write"]), id, version);
    const { result } = await narrow.ask("tools/list");
    expect(JSON.stringify(result)).toContain("remember");
    expect(JSON.stringify(result)).not.toContain("list_documents");
  });

  test.for(["docs:read", "docs:write", "memory:read", "memory:write"] as const)(
    "for %s lists the tools that it gives access to, and is refused all others with 403",
    async (scope) => {
      const isFor = ({ access }: (typeof TOOLS)[number]) =>
        access.length === 0 || [access].flat().includes(scope);
      const names = TOOLS.filter(isFor).map(({ name }) => name);
      expect(names).toContain("whoami");
      for (const [, asker] of await bothGenerations(await keyOf(await person(), [scope]))) {
        const { result } = await asker.ask("tools/list", {});
        expect(result?.tools).toMatchObject(names.map((name) => ({ name })));
        expect(await use(asker, "whoami")).toMatchObject({ scopes: [scope] });
        for (const { name, access } of TOOLS.filter((tool) => !isFor(tool))) {
          const refused = await asker.ask("tools/call", { name, arguments: {} });
          expect(refused.status, name).toBe(403);
          const challenge = refused.headers.get("WWW-Authenticate") ?? "";
          expect(challenge, name).toContain('error="insufficient_scope"');
          const [, wanted = ""] = /scope="([^"]+)"/.exec(challenge) ?? [];
          expect(wanted.split(" ").sort(), name).toEqual([scope, [access].flat()[0]].sort());
        }
      }
    },
  );

  test("for documents reads no record and no briefing over MCP", async () => {
    for (const [, asker] of await bothGenerations(await keyOf(await person(), ["docs:read"]))) {
      const record = await asker.ask("tools/call", { name: "fetch", arguments: { id: "mem:1" } });
      expect(record.status).toBe(403);
      expect((await asker.ask("resources/read", { uri: "briefing://today" })).status).toBe(403);
    }
  });
});
