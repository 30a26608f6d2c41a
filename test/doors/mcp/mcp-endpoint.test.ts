import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { logoutAllRoute } from "../../../src/features/auth/routes.ts";
import { createDocumentRoute, getDocumentRoute } from "../../../src/features/documents/routes.ts";
import type { McpSession } from "../../../src/doors/mcp/session.ts";
import { createMemoryRoute, getMemoryRoute, listMemoryEventsRoute } from "../../../src/memories/routes.ts";
import { type Client, person, visitor } from "../../kit/client.ts";
import { ask, bareId, initialize, post, type RpcAnswer, stateless, use } from "../../kit/mcp.ts";
import { connect } from "../../kit/oauth.ts";

type Asker = { ask: (method: string, params: Record<string, unknown>) => Promise<RpcAnswer> };
type Definition = {
  name: string;
  description: string;
  inputSchema: { properties: Record<string, unknown>; additionalProperties: boolean; type: string };
  outputSchema: { type: string };
  annotations: Record<string, boolean>;
};

const bothOf = async (client: Client): Promise<[string, Asker][]> => [
  ["a session", await initialize(client)],
  ["a stateless client", stateless(client)],
];

async function definitions(asker: Asker): Promise<Definition[]> {
  const { result } = await asker.ask("tools/list", {});
  return result?.tools as Definition[];
}

const NAMES = [
  "search",
  "fetch",
  "list_documents",
  "create_document",
  "edit_document",
  "delete_document",
  "list_trash",
  "list_versions",
  "restore",
  "list_changes",
  "undo_changes",
  "remember",
  "update_memory",
  "close_memories",
  "list_memories",
  "get_briefing",
  "whoami",
];

describe("the tools", () => {
  test("are the same for both generations, in a fixed order", async () => {
    const ada = await person();
    const lists = await Promise.all((await bothOf(ada)).map(([, asker]) => definitions(asker)));
    expect(lists[0]?.map(({ name }) => name)).toEqual(NAMES);
    expect(lists[1]).toEqual(lists[0]);
  });

  test("describe their input, output and effect in less than 4,000 tokens", async () => {
    const tools = await definitions(stateless(await person()));
    expect(countTokens(JSON.stringify(tools))).toBeLessThan(4_000);
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema.type, name).toBe("object");
      const hints = ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"];
      expect(Object.keys(annotations).sort(), name).toEqual(hints);
    }
    const fields = (name: string) =>
      Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
    expect([fields("search"), fields("fetch")]).toEqual([["query"], ["id"]]);
    // Some clients know schemas of a single type only.
    expect(JSON.stringify(tools)).not.toContain('"type":[');
  });

  test("are explained in at most 150 words when a client connects", async () => {
    const ada = await person();
    const { result } = await ask(ada, "server/discover");
    const instructions = String(result?.instructions);
    expect(instructions.split(/\s+/).length).toBeLessThanOrEqual(150);
    for (const name of instructions.match(/\b[a-z]+_[a-z]+\b/g) ?? []) {
      if (!["due_date", "deferred_until", "replaces_id"].includes(name)) expect(NAMES).toContain(name);
    }
  });

  test("take a promise from its creation to its end, in both generations", async () => {
    const ada = await person({ timezone: "Europe/Berlin" });
    for (const [name, asker] of await bothOf(ada)) {
      const made = (await use(asker, "remember", {
        memory_type: "commitment",
        topic: `Slides for ${name}`,
        content: "Promised to Grace",
        due_date: "2099-12-24",
      })) as { memory: { id: string } };
      expect(made).toMatchObject({
        memory: { due_date: "2099-12-24 (Thursday)" },
        today: expect.stringMatching(/day\)$/),
      });
      expect(made.memory.id).toMatch(/^mem:\d+$/);
      const id = bareId(made.memory.id);
      await use(asker, "update_memory", { id, project: "Apollo" });
      expect(await use(asker, "list_memories", { project: "Apollo" })).toMatchObject({ total: 1 });
      const found = (await use(asker, "search", { query: `slides ${name}` })) as {
        results: { id: string }[];
      };
      expect(found.results.map((result) => result.id)).toContain(`mem:${id}`);
      for (const reference of [`mem:${id}`, String(id), `memory://${id}`]) {
        expect(await use(asker, "fetch", { id: reference })).toMatchObject({ text: "Promised to Grace" });
      }
      expect(await use(asker, "get_briefing")).toMatchObject({ timezone: "Europe/Berlin" });
      expect(await use(asker, "close_memories", { ids: [id], outcome: "resolved" })).toMatchObject({
        succeeded: 1,
      });
    }
  });

  test("keep, find, change and delete a document, in both generations", async () => {
    const ada = await person();
    for (const [name, asker] of await bothOf(ada)) {
      const word = name.replaceAll(" ", "");
      const made = await use(asker, "create_document", { title: word, text: "# One\n\nalpha", tags: "a, b" });
      expect(made).toEqual({ id: expect.any(String), title: word, tags: ["a", "b"] });
      const id = bareId(made.id);
      const edited = await use(asker, "edit_document", { id, operation: "append", text: "\nomega" });
      expect(edited).toMatchObject({ version: 2 });
      for (const reference of [`doc:${id}`, id, `doc://${id}`, `https://commonplace.test/open/doc/${id}`]) {
        const read = await use(asker, "fetch", { id: reference });
        expect(read).toMatchObject({ id: `doc:${id}`, title: word, metadata: { version: 2 } });
        expect(read.text).toContain("omega");
      }
      const { results } = (await use(asker, "search", { query: word })) as { results: object[] };
      expect(results).toMatchObject([{ id: `doc:${id}`, title: word }]);
      expect(await use(asker, "list_documents", { tag: ["a"] })).toMatchObject({ total: 1, has_more: false });
      expect(await use(asker, "delete_document", { id })).toMatchObject({ id: `doc:${id}`, trashed: true });
      expect((await use(asker, "fetch", { id })).metadata).toMatchObject({ in_trash: expect.anything() });
      const { items } = (await use(asker, "list_trash")) as { items: object[] };
      expect(items[0]).toMatchObject({ id: `doc:${id}`, title: word });
      expect(await use(asker, "restore", { id: `doc:${id}` })).toMatchObject({ title: word });
      const { versions } = (await use(asker, "list_versions", { id })) as { versions: { id: string }[] };
      const first = { id: versions[0]?.id };
      expect(await use(asker, "fetch", first)).toMatchObject({ text: "# One\n\nalpha" });
      await use(asker, "restore", first);
      expect(await use(asker, "fetch", { id })).toMatchObject({ text: "# One\n\nalpha" });
      await use(asker, "delete_document", { id });
    }
  });

  test("refuse with a text that says what to do next, and reveal nothing else", async () => {
    const ada = await person();
    for (const [, asker] of await bothOf(ada)) {
      expect((await use(asker, "fetch", { id: "nonsense" })).refused).toContain("doc:<uuid>");
      expect((await use(asker, "search", { query: "  " })).refused).toContain("query");
      expect((await use(asker, "search", {})).refused).toContain("Call search again with: query");
      expect((await use(asker, "remember", { memory_type: "wish" })).refused).toContain("memory_type");
      const unknown = await asker.ask("tools/call", { name: "rm", arguments: {} });
      expect(unknown.error).toMatchObject({ code: -32602 });
    }
  });

  test("return a long text in parts, each of which names the next, without splitting a character", async () => {
    const ada = await person();
    const written = `x${"🦓".repeat(45_000)}`;
    const document = await ada.ok(createDocumentRoute, {
      json: { title: "Long", content: { format: "markdown", text: written } },
    });
    const parts: string[] = [];
    let next: string | undefined = document.id;
    while (next) {
      const { text, metadata } = await use(stateless(ada), "fetch", { id: next });
      expect(metadata).toMatchObject({ part: parts.length + 1, parts: 3, length: 90_001 });
      const [, part = String(text), id] =
        /^(.*)\n\n\[Truncated: fetch (\S+) to continue\]$/s.exec(String(text)) ?? [];
      expect(part.length).toBeLessThan(41_000);
      parts.push(part);
      next = id;
    }
    expect(parts.join("")).toBe(written);
    const beyond = await use(stateless(ada), "fetch", { id: `doc:${document.id}#4` });
    expect(beyond.refused).toContain("has 3 parts");
    const text = "y".repeat(400_000);
    for (const [name, asker] of await bothOf(ada)) {
      expect(await use(asker, "create_document", { title: name, text })).toMatchObject({ title: name });
    }
  });
});

describe("resources and prompts", () => {
  test("are the same for both generations", async () => {
    const ada = await person();
    const made = await ada.ok(createDocumentRoute, {
      json: { title: "Plan", content: { format: "markdown", text: "# Plan" } },
    });
    const memory = await ada.ok(createMemoryRoute, {
      json: { memory_type: "decision", topic: "Blue", content: "It is blue" },
    });
    for (const [, asker] of await bothOf(ada)) {
      const read = async (uri: string) => {
        const { result } = await asker.ask("resources/read", { uri });
        const contents = (result?.contents ?? []) as { uri: string; text: string }[];
        return contents[0];
      };
      const { result } = await asker.ask("resources/list", {});
      expect(result?.resources).toMatchObject([{ uri: "briefing://today" }]);
      const templates = await asker.ask("resources/templates/list", {});
      expect(templates.result?.resourceTemplates).toMatchObject([
        { uriTemplate: "doc://{id}" },
        { uriTemplate: "memory://{id}" },
      ]);
      expect(JSON.parse((await read("briefing://today"))?.text ?? "")).toHaveProperty("today");
      expect(await read(`doc://${made.id}`)).toMatchObject({ text: "# Plan", mimeType: "text/markdown" });
      expect((await read(`memory://${memory.id}`))?.text).toBe("Blue\n\nIt is blue");
      for (const uri of ["memory://999999", "doc://x", "file:///etc/passwd", "memory://1%00"]) {
        const { error } = await asker.ask("resources/read", { uri });
        expect([-32002, -32602], uri).toContain(error?.code);
      }
      const prompts = await asker.ask("prompts/list", {});
      expect(prompts.result?.prompts).toMatchObject([
        { name: "daily_briefing" },
        { name: "weekly_review" },
        { name: "capture_commitments" },
        { name: "handoff" },
      ]);
      for (const name of ["daily_briefing", "weekly_review", "handoff"]) {
        const { result: got } = await asker.ask("prompts/get", { name, arguments: { project: "Apollo" } });
        expect(JSON.stringify(got), name).toContain("Apollo");
      }
      const bare = await asker.ask("prompts/get", { name: "capture_commitments", arguments: {} });
      expect(bare.error?.message).toContain("text");
    }
  });
});

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
  test("resends a lost answer to a client that asks for it again", async () => {
    const ada = await person({ email: "ada@example.com" });
    const session = await initialize(ada);
    const accept = { ...session.headers, Accept: "application/json, text/event-stream" };
    const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "whoami", arguments: {} } };
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

  test("is erased by an alarm when nobody has used it for a day", async () => {
    const session = await initialize(await person());
    const stub = objectOf(session.id);
    await runInDurableObject(stub, async (instance, state) => {
      state.storage.kv.put("last_used", Date.now() - 2 * 86_400_000);
      await instance.eraseWhenIdle().catch(() => {});
    });
    const left = await runInDurableObject(objectOf(session.id), async (_, state) => [
      await state.storage.get("initializeRequest"),
    ]);
    expect(left).toEqual([undefined]);
    expect((await session.ask("tools/list")).status).toBe(404);
    // Nor does the request leave anything behind.
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
    await runInDurableObject(objectOf(session.id), async (instance, state) => {
      expect(JSON.stringify([...(await state.storage.list())])).toContain("ada@example.com");
      state.storage.kv.put(
        "streams",
        (state.storage.kv.get("streams") as [string, number][]).map(([id]) => [id, 0]),
      );
      await instance.forgetEvents();
    });
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
    expect(await runDurableObjectAlarm(objectOf(session.id))).toBe(true);
  });
});
