import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { McpSession } from "../../../src/doors/mcp/session.ts";
import { logoutAllRoute } from "../../../src/features/auth/routes.ts";
import { getDocumentRoute } from "../../../src/features/documents/routes.ts";
import { getMemoryRoute, listMemoryEventsRoute } from "../../../src/features/memories/routes.ts";
import { person, visitor } from "../../kit/client.ts";
import { type Asker, ask, bareId, initialize, post, stateless, use } from "../../kit/mcp.ts";
import { connect } from "../../kit/oauth.ts";

// Who calls MCP and how: callers, the endpoint, sessions.

/** A change, whose answer says the email again. */
const REMEMBER = {
  name: "remember",
  arguments: { memory_type: "decision", topic: "Write to ada@example.com", content: "On paper" },
};

describe("a caller", () => {
  test("is never confused with another, even with equal ids and 50 concurrent calls", async () => {
    const [ada, bob] = [
      await person({ email: "ada@example.com" }),
      await person({ email: "bob@example.com" }),
    ];
    const askers = await Promise.all(
      [ada, bob].map(async (client) => [await initialize(client), stateless(client)]),
    );
    const emails = ["ada@example.com", "bob@example.com"];
    const calls = Array.from({ length: 50 }, (_, call) => {
      const who = call % 2;
      const asker = askers[who]?.[Math.floor(call / 2) % 2] as Asker;
      return use(asker, "whoami").then(({ email }) => [emails[who], email]);
    });
    for (const [expected, answered] of await Promise.all(calls)) expect(answered).toBe(expected);
  });

  test("cannot use somebody else's session, nor an invented one", async () => {
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

  test("cannot impersonate somebody with an internal header", async () => {
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
    let turn = 0;
    const written = async (asker: Asker) => {
      const record = { memory_type: "context", topic: "T", content: `The ${++turn}. one` };
      const made = (await use(asker, "remember", record)) as {
        memory: { id: string };
      };
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
    expect((await ask(ada, "resources/read", { uri: "briefing://today" })).result?.cacheScope).toBe(
      "private",
    );
  });
});

describe("the endpoint", () => {
  test("checks the Origin of every page, and the Host of every request", async () => {
    const ada = await person();
    const session = await initialize(ada);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const Origin of [
      "https://evil.example",
      "null",
      "http://commonplace.test",
      "https://commonplace.test.evil.example",
    ]) {
      expect((await post(ada, message, { ...session.headers, Origin })).status, Origin).toBe(403);
      expect((await ask(ada, "tools/list", {}, { Origin })).status, Origin).toBe(403);
    }
    for (const Origin of [
      "https://commonplace.test",
      "https://inspector.commonplace.test",
      "http://localhost:6274",
      "http://127.0.0.1:3000",
    ]) {
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

  test("refuses batches in revisions without them, and calls beyond the token's scopes in all others", async () => {
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
    expect((await ada.fetch("/mcp", { method: "PUT" })).status).toBe(405);
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

  test("answers no request of its own, and starts nothing for one", async () => {
    const { id } = await initialize(await person());
    const kept = () =>
      runInDurableObject(objectOf(id), async (_, { storage }) => [...(await storage.list())]);
    const before = await kept();
    for (const path of ["/", "/mcp", "/sse", "/sub/x/y"]) {
      const answer = await objectOf(id).fetch(`https://session${path}`);
      expect([path, answer.status, await answer.text()]).toEqual([path, 404, ""]);
    }
    expect(await kept()).toEqual(before);
  });

  test("is erased by an alarm when nobody has used it for a day", async () => {
    const session = await initialize(await person());
    const stub = objectOf(session.id);
    await runInDurableObject(stub, async (_, state) => {
      state.storage.kv.put("last_used", Date.now() - 2 * 86_400_000);
    });
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    const left = await runInDurableObject(objectOf(session.id), async (_, state) => [
      await state.storage.get("initializeRequest"),
    ]);
    expect(left).toEqual([undefined]);
    // An isolate that has just seen it answers once more, and keeps nothing.
    await session.ask("tools/call", REMEMBER);
    expect((await session.ask("tools/call", REMEMBER)).status).toBe(404);
    const after = await runInDurableObject(objectOf(session.id), async (_, state) => [
      (await state.storage.list()).size,
      await state.storage.getAlarm(),
    ]);
    expect(after).toEqual([0, null]);
  });

  test("has an alarm from its first request on, keeps answers briefly, and stores no user or token", async () => {
    const ada = await person({ email: "ada@example.com" });
    const session = await initialize(ada);
    await use(session, "whoami");
    // What only reads can be called again.
    const none = await runInDurableObject(objectOf(session.id), async (_, state) => [
      ...state.storage.kv.list({ prefix: "answer:" }),
    ]);
    expect(none).toEqual([]);
    await use(session, REMEMBER.name, REMEMBER.arguments);
    await runInDurableObject(objectOf(session.id), async (_, state) => {
      const answers = [...state.storage.kv.list<string>({ prefix: "answer:" })];
      expect(JSON.stringify(answers)).toContain("ada@example.com");
      for (const [key, answer] of answers) {
        state.storage.kv.delete(key);
        state.storage.kv.put(key.replace(/\d{14}/, "0".repeat(14)), answer);
      }
    });
    expect(await runDurableObjectAlarm(objectOf(session.id))).toBe(true);
    const kept = await runInDurableObject(objectOf(session.id), async (_, state) => ({
      alarm: await state.storage.getAlarm(),
      entries: JSON.stringify([...(await state.storage.list())]),
    }));
    const inSeconds = ((kept.alarm ?? 0) - Date.now()) / 1000;
    expect(inSeconds).toBeGreaterThan(0);
    expect(inSeconds).toBeLessThanOrEqual(86_400);
    expect(kept.entries).not.toContain("ada@example.com");
    expect(kept.entries).not.toContain(ada.tokens?.access_token);
  });

  test("ends when its client says so", async () => {
    const session = await initialize(await person());
    const ended = await session.client.fetch("/mcp", { method: "DELETE", headers: session.headers });
    expect(ended.status).toBe(204);
    expect((await session.ask("tools/list")).status).toBe(404);
    expect(await runDurableObjectAlarm(objectOf(session.id))).toBe(false);
  });
});
