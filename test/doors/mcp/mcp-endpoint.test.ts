import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { McpSession } from "../../../src/doors/mcp/session.ts";
import { logoutAllRoute } from "../../../src/features/auth/routes.ts";
import { getDocumentRoute } from "../../../src/features/documents/routes.ts";
import { getMemoryRoute, listMemoryEventsRoute } from "../../../src/features/memories/routes.ts";
import { BASE, person, visitor } from "../../kit/client.ts";
import { type Asker, ask, bareId, bothGenerations, initialize, post, stateless, use } from "../../kit/mcp.ts";
import { connect } from "../../kit/oauth.ts";

// Who calls MCP and how: callers, the endpoint, sessions.

/** A change, whose answer says the email again. */
const REMEMBER = {
  name: "remember",
  arguments: { memory_type: "decision", topic: "Write to ada@example.com", content: "On paper" },
};

describe("a caller", () => {
  test("is never confused with another, even with equal ids and 50 concurrent calls", async () => {
    const emails = ["ada@example.com", "bob@example.com"];
    const askers = await Promise.all(
      emails.map(async (email) => (await bothGenerations(await person({ email }))).map(([, asker]) => asker)),
    );
    const calls = Array.from({ length: 50 }, (_, call) => {
      const asker = askers[call % 2]?.[Math.floor(call / 2) % 2] as Asker;
      return use(asker, "whoami");
    });
    for (const [call, { email }] of (await Promise.all(calls)).entries())
      expect(email).toBe(emails[call % 2]);
  });

  test("cannot use another account's session, nor an invented one", async () => {
    const [ada, eve] = [await person(), await person()];
    const session = await initialize(ada);
    const [id = "", seal = ""] = session.id.split(".");
    for (const stolen of [session.id, id, `${id}.${"A".repeat(22)}`, `${"0".repeat(64)}.${seal}`, "x"]) {
      for (const method of ["POST", "GET", "DELETE"]) {
        const answer = await eve.fetch("/mcp", {
          method,
          headers: {
            "Mcp-Session-Id": stolen,
            ...(method === "GET" && { "Last-Event-ID": "x" }),
            "Content-Type": "application/json",
            Accept: "application/json, text/event-stream",
          },
          ...(method === "POST" && { body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }),
        });
        expect(answer.status, `${method} ${stolen}`).toBe(404);
      }
    }
    expect((await session.ask("tools/list")).status).toBe(200);
  });

  test("cannot impersonate another with an internal header", async () => {
    const eve = await person({ email: "eve@example.com" });
    const session = await initialize(eve);
    const forged = btoa(JSON.stringify({ user: { id: "x", number: 1, email: "ada@example.com" } }));
    const answer = await post(
      eve,
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } },
      { ...session.headers, "X-Commonplace-Caller": forged },
    );
    expect(answer.result?.structuredContent).toMatchObject({ email: "eve@example.com" });
  });

  test("is recorded by name with everything it writes", async () => {
    const ada = await person({ email: "ada@example.com" });
    const { mcp } = await connect("ada@example.com");
    const written = async (asker: Asker) => {
      const record = { memory_type: "context", topic: "T", content: crypto.randomUUID() };
      const made = (await use(asker, "remember", record)) as { memory: { id: string } };
      const params = { memory_id: bareId(made.memory.id) };
      const { source_type, client_name } = await ada.ok(getMemoryRoute, { params });
      const { items } = await ada.ok(listMemoryEventsRoute, { params });
      expect(items[0]).toMatchObject({ source_type, client_name });
      const { id } = await use(asker, "create_document", { title: "T", text: "x" });
      const document = await ada.ok(getDocumentRoute, { params: { document_id: bareId(id) } });
      expect(document.source_type).toBe("mcp");
      return [source_type, client_name];
    };
    // With OAuth, the name under which the user authorized the client; otherwise the name that the client reports.
    expect(await written(await initialize(mcp))).toEqual(["mcp", "Test Client"]);
    expect(await written(stateless(mcp))).toEqual(["mcp", "Test Client"]);
    expect(await written(await initialize(ada))).toEqual(["mcp", "session-client"]);
    expect(await written(stateless(ada))).toEqual(["mcp", "test-client"]);
  });

  test("gets answers that no shared cache may store", async () => {
    const ada = await person();
    for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
      const { result, headers } = await ask(ada, method);
      expect(result, method).toMatchObject({ cacheScope: "private", ttlMs: 0 });
      expect(headers.get("Cache-Control"), method).toBe("no-store");
    }
    const { result } = await ask(ada, "resources/read", { uri: "briefing://today" });
    expect(result?.cacheScope).toBe("private");
  });
});

describe("the endpoint", () => {
  test("checks the Origin of every page, and the Host of every request", async () => {
    const ada = await person();
    const session = await initialize(ada);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const foreign = ["https://evil.example", "null", "http://commonplace.test", `${BASE}.evil.example`];
    for (const Origin of foreign) {
      expect((await post(ada, message, { ...session.headers, Origin })).status, Origin).toBe(403);
      expect((await ask(ada, "tools/list", {}, { Origin })).status, Origin).toBe(403);
    }
    const local = ["http://localhost:6274", "http://127.0.0.1:3000"];
    for (const Origin of [BASE, "https://inspector.commonplace.test", ...local]) {
      const allowed = await ask(ada, "tools/list", {}, { Origin });
      expect(allowed.status, Origin).toBe(200);
      expect(allowed.headers.get("Access-Control-Allow-Origin")).toBe(Origin);
      expect((await post(ada, message, { ...session.headers, Origin })).status, Origin).toBe(200);
    }
    const elsewhere = await ada.fetch("https://evil.example/mcp", { method: "POST" });
    expect(elsewhere.status).toBe(403);
    const preflight = await visitor().fetch("/mcp", {
      method: "OPTIONS",
      headers: { Origin: "http://localhost:6274", "Access-Control-Request-Method": "POST" },
    });
    expect(preflight.status).toBe(204);
  });

  test("refuses batches in revisions without them, and too large ones in the others", async () => {
    const ada = await person();
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const batch = [list, { ...list, id: 2 }];
    for (const version of ["2025-06-18", "2025-11-25"]) {
      const session = await initialize(ada, version);
      expect((await post(ada, batch, session.headers)).status, version).toBe(400);
    }
    expect((await post(ada, batch, { "MCP-Protocol-Version": "2026-07-28" })).status).toBe(400);
    const old = await initialize(ada, "2025-03-26");
    expect((await post(ada, batch, old.headers)).status).toBe(200);
    const wide = Array.from({ length: 50 }, (_, id) => ({ ...list, id: `${id}`.padEnd(128, "\u4e00") }));
    expect((await post(ada, wide, old.headers)).status).toBe(200);
    expect((await post(ada, Array(51).fill(list), old.headers)).status).toBe(400);
  });

  test("answers malformed and oversized requests with an error", async () => {
    const ada = await person();
    const session = await initialize(ada);
    expect((await post(ada, "{", session.headers)).error).toMatchObject({ code: -32700 });
    expect((await post(ada, "", session.headers)).status).toBe(400);
    expect((await post(ada, '"x"', session.headers)).status).toBe(400);
    expect((await post(ada, `"${"x".repeat(1_100_000)}"`, session.headers)).status).toBe(413);
    expect((await session.ask("tools/list", {}, "é".repeat(128))).status).toBe(200);
    expect((await session.ask("tools/list", {}, "x".repeat(129))).status).toBe(400);
    const listening = await ada.fetch("/mcp", {
      headers: { ...session.headers, Accept: "text/event-stream" },
    });
    expect([listening.status, listening.headers.get("Allow")]).toEqual([405, "POST, DELETE"]);
    expect((await ask(ada, "nothing/such")).error).toMatchObject({ code: -32601 });
    expect((await session.ask("nothing/such")).error).toMatchObject({ code: -32601 });
  });
});

describe("a session", () => {
  test("resends the lost answer to a change to a client that asks for it again", async () => {
    const ada = await person({ email: "ada@example.com" });
    const session = await initialize(ada);
    const accept = { ...session.headers, Accept: "application/json, text/event-stream" };
    const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: REMEMBER };
    const dropped = await ada.fetch("/mcp", {
      method: "POST",
      headers: { ...accept, "Content-Type": "application/json" },
      body: JSON.stringify(call),
    });
    const reader = dropped.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    const [, id = ""] = /^id: (\S+)\ndata: \n\n/.exec(first) ?? [];
    expect(id).not.toBe("");

    const again = await ada.fetch("/mcp", { headers: { ...accept, "Last-Event-ID": id } });
    // The stream ends by itself: it must not outlive the token that opened it.
    const text = await again.text();
    expect(text).toContain('"id":7');
    expect(text).toContain("ada@example.com");
    const unknown = await ada.fetch("/mcp", { headers: { ...accept, "Last-Event-ID": "unknown" } });
    expect(await unknown.text()).toBe("");
    await ada.ok(logoutAllRoute);
    expect((await ada.fetch("/mcp", { headers: { ...accept, "Last-Event-ID": id } })).status).toBe(401);
  });

  const objectOf = (id: string) =>
    (env.MCP_SESSIONS as DurableObjectNamespace<McpSession>).getByName(`streamable-http:${id.split(".")[0]}`);
  const within = <Result>({ id }: { id: string }, run: (storage: DurableObjectStorage) => Result) =>
    runInDurableObject(objectOf(id), (_, { storage }) => run(storage));

  test("is erased by an alarm when it has not been used for a day", async () => {
    const session = await initialize(await person());
    await within(session, ({ kv }) => kv.put("last_used", Date.now() - 2 * 86_400_000));
    expect(await runDurableObjectAlarm(objectOf(session.id))).toBe(true);
    expect(await within(session, (storage) => storage.get("initializeRequest"))).toBeUndefined();
    // An isolate that has just seen it answers once more, and keeps nothing.
    await session.ask("tools/call", REMEMBER);
    expect((await session.ask("tools/call", REMEMBER)).status).toBe(404);
    const sizeOf = async (storage: DurableObjectStorage) => (await storage.list()).size;
    expect([await within(session, sizeOf), await within(session, (storage) => storage.getAlarm())]).toEqual([
      0,
      null,
    ]);
  });

  test("has an alarm from its first request on, keeps answers briefly, and stores no user or token", async () => {
    const ada = await person({ email: "ada@example.com" });
    const session = await initialize(ada);
    await use(session, "whoami");
    const answers = () => within(session, ({ kv }) => [...kv.list<string>({ prefix: "answer:" })]);
    // What only reads can be called again.
    expect(await answers()).toEqual([]);
    await use(session, REMEMBER.name, REMEMBER.arguments);
    expect(JSON.stringify(await answers())).toContain("ada@example.com");
    for (const [key, answer] of await answers())
      await within(session, ({ kv }) => {
        kv.delete(key);
        kv.put(key.replace(/\d{14}/, "0".repeat(14)), answer);
      });
    expect(await runDurableObjectAlarm(objectOf(session.id))).toBe(true);
    const alarm = (await within(session, (storage) => storage.getAlarm())) ?? 0;
    expect(alarm).toBeGreaterThan(Date.now());
    expect(alarm).toBeLessThanOrEqual(Date.now() + 86_400_000);
    const entries = await within(session, async (storage) => JSON.stringify([...(await storage.list())]));
    expect(entries).not.toContain("ada@example.com");
    expect(entries).not.toContain(ada.tokens?.access_token);
  });

  test("ends when its client says so", async () => {
    const session = await initialize(await person());
    const ended = await session.client.fetch("/mcp", { method: "DELETE", headers: session.headers });
    expect(ended.status).toBe(204);
    expect((await session.ask("tools/list")).status).toBe(404);
    expect(await runDurableObjectAlarm(objectOf(session.id))).toBe(false);
  });
});
