import { describe, expect, test } from "vitest";
import { createApiKeyRoute } from "../src/features/api-keys/routes.ts";
import { app } from "../src/app.ts";
import { changePasswordRoute, logoutAllRoute } from "../src/features/auth/routes.ts";
import { KEY_OPERATIONS, neededScopes, SIGN_IN_ONLY } from "../src/auth/scopes.ts";
import { ACCESSES, type Access } from "../src/contract/access.ts";
import { createCalendarTokenRoute, revokeCalendarTokenRoute } from "../src/features/dashboard/routes.ts";
import * as documents from "../src/features/documents/routes.ts";
import { createFolderRoute, updateFolderRoute } from "../src/features/folders/routes.ts";
import { answer } from "../src/doors/mcp/register.ts";
import { TOOLS } from "../src/mcp/tools.ts";
import * as memories from "../src/memories/routes.ts";
import { renameTagRoute } from "../src/features/tags/routes.ts";
import { Client, PASSWORD, person, signIn, visitor } from "./kit/client.ts";
import { ctxOf } from "./kit/ctx.ts";
import { initialize, post, stateless } from "./kit/mcp.ts";
import { connect } from "./kit/oauth.ts";

// No answer may reveal what a token may not read, however the request is made.

const ADA = "ada@example.com";
/** In every field of the document and the record that an attacker could want to read. */
const DOC = "DOCSECRET";
const MEM = "MEMSECRET";

const holder = (key: string) =>
  new Client({ access_token: key, refresh_token: "", token_type: "bearer", expires_in: 0 });

async function keyOf(owner: Client, scopes: readonly string[]): Promise<Client> {
  const { key } = await owner.ok(createApiKeyRoute, { json: { name: "Script", scopes } });
  return holder(key);
}

/** Somebody with one folder, one document and one record, all of them full of secrets. */
async function keeper() {
  const ada = await person({ email: ADA });
  const folder = await ada.ok(createFolderRoute, { json: { name: `${DOC} folder` } });
  const document = await ada.ok(documents.createDocumentRoute, {
    json: {
      title: `${DOC} title`,
      content: { format: "markdown", text: `# ${DOC} heading\n\n${DOC} text common` },
      tags: [DOC],
      folder_id: folder.id,
    },
  });
  const memory = await ada.ok(memories.createMemoryRoute, {
    json: {
      memory_type: "commitment",
      topic: `${MEM} topic common`,
      content: `${MEM} content`,
      project: `${MEM} project`,
      tags: [MEM],
      due_date: "2020-01-01",
    },
  });
  return { ada, folder, document, memory };
}

/** Every non-empty set of scopes. */
const SUBSETS = Array.from({ length: 15 }, (_, n) => ACCESSES.filter((_, bit) => (n + 1) & (1 << bit)));

const forbiddenTo = (scopes: readonly Access[]) => [
  ...(scopes.includes("docs:read") ? [] : [DOC]),
  ...(scopes.includes("memory:read") ? [] : [MEM]),
];

describe("each operation of the API", () => {
  const OPEN =
    /^\/api\/(auth\/(register|login(\/.*)?|refresh|logout|password-reset(\/confirm)?|email\/(confirm|undo|verify))|dashboard\/calendar\.ics)$/;

  const operations = () =>
    app.openAPIRegistry.definitions.flatMap((definition) => {
      if (definition.type !== "route") return [];
      const { method, path } = definition.route;
      return path.startsWith("/api/") && !OPEN.test(path) ? [`${method.toUpperCase()} ${path}`] : [];
    });

  test("is listed as either available to keys or requiring a sign-in", () => {
    expect([...KEY_OPERATIONS, ...SIGN_IN_ONLY].toSorted()).toEqual(operations().toSorted());
  });

  test("that requires a sign-in refuses a key with every scope, and so does an unlisted one", async () => {
    const { ada } = await keeper();
    const key = await keyOf(ada, ACCESSES);
    const unknown = ["GET /api/documents/x/y/z", "GET /api/nothing", "TRACE /api/tags"];
    for (const operation of [...SIGN_IN_ONLY, ...unknown]) {
      const [method = "", path = ""] = operation.split(" ");
      expect(neededScopes({ method, path, types: [] }), operation).toBeUndefined();
      if (method === "TRACE") continue;
      const address = path.replace(/\{\w+\}/g, "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42");
      expect((await key.fetch(address, { method })).status, operation).toBe(403);
    }
    expect(await ada.ok((await import("../src/features/auth/routes.ts")).getMeRoute)).toMatchObject({ email: ADA });
  });

  test("cannot be reached under another spelling of its path", async () => {
    const { ada } = await keeper();
    const key = await keyOf(ada, ACCESSES);
    for (const path of [
      "/api/dashboard/%63alendar-token",
      "/api/dashboard/x/../calendar-token",
      "/api/memories/../dashboard/calendar-token",
      "/api//dashboard/calendar-token",
      "/api/dashboard/calendar-token/",
      "/api/dashboard/calendar-token%2f",
      "/API/dashboard/calendar-token",
      "/api/%61pi-keys",
      "/api/memories/..%2fapi-keys",
    ]) {
      const given = await key.fetch(path, { method: "POST", body: "{}" });
      expect([403, 404, 405], path).toContain(given.status);
      expect(await given.text(), path).not.toContain("token=");
    }
  });

  test("is refused to every set of scopes that does not cover it", async () => {
    const { ada } = await keeper();
    for (const scopes of SUBSETS.filter(({ length }) => length < 3)) {
      const key = await keyOf(ada, scopes);
      for (const operation of KEY_OPERATIONS) {
        const [method = "", path = ""] = operation.split(" ");
        const needed = neededScopes({ method, path, types: [] }) ?? [];
        if (needed.every((one) => scopes.includes(one))) continue;
        const address = path
          .replace("{memory_id}", "1")
          .replace(/\{\w+\}/g, "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42");
        const given = await key.fetch(`${address}?q=common`, { method });
        expect(given.status, `${operation} with ${scopes}`).toBe(403);
      }
    }
  });
});

test("a search shows only the kinds that the key covers, even if the query asks for others", async () => {
  const { ada } = await keeper();
  const queries = [
    "common",
    "type:commitment common",
    "type:all common",
    "project:x OR common",
    "status:active common",
  ];
  const types = [
    "",
    "&type=documents",
    "&type=memories",
    "&type=all",
    "&type=documents&type=all",
    "&type=",
    "&Type=all",
  ];
  for (const scopes of [["docs:read"], ["memory:read"]] as const) {
    const key = await keyOf(ada, scopes);
    for (const query of queries) {
      for (const type of types) {
        const given = await key.fetch(`/api/search?q=${encodeURIComponent(query)}${type}`);
        const text = await given.text();
        for (const secret of forbiddenTo(scopes))
          expect(text, `${scopes} ${query} ${type}`).not.toContain(secret);
      }
    }
  }
});

describe("a write with a key that may not read", () => {
  test("returns nothing that was not sent", async () => {
    const { ada, folder, document, memory } = await keeper();
    const key = await keyOf(ada, ["docs:write", "memory:write"]);
    const id = { params: { document_id: document.id } };
    const record = { params: { memory_id: String(memory.id) } };
    const answers = [
      await key.call(documents.updateDocumentRoute, { ...id, json: {} }),
      await key.call(documents.updateDocumentRoute, {
        ...id,
        json: { content: { format: "markdown", text: "new" } },
      }),
      await key.call(documents.editDocumentRoute, { ...id, json: { operation: "append", text: "more" } }),
      await key.call(documents.restoreVersionRoute, { params: { document_id: document.id, version: "1" } }),
      await key.call(documents.bulkDocumentsRoute, {
        json: {
          operations: [
            { operation: "update", id: document.id, title: "T" },
            { operation: "move", id: document.id },
          ],
        },
      }),
      await key.call(updateFolderRoute, { params: { folder_id: folder.id }, json: {} }),
      await key.call(renameTagRoute, { params: { name: DOC }, json: { name: "renamed" } }),
      await key.call(memories.updateMemoryRoute, { ...record, json: {} }),
      await key.call(memories.confirmMemoryRoute, record),
      await key.call(memories.deferMemoryRoute, { ...record, json: {} }),
      await key.call(memories.reopenMemoryRoute, record),
      await key.call(memories.resolveMemoryRoute, { ...record, json: {} }),
      await key.call(memories.archiveMemoryRoute, record),
      await key.call(memories.changeMemoriesRoute, {
        json: { operations: [{ operation: "reopen", id: memory.id }] },
      }),
      await key.call(memories.supersedeMemoryRoute, { ...record, json: { content: "New" } }),
      await key.call(documents.deleteDocumentRoute, id),
      await key.call(documents.restoreDocumentRoute, id),
    ];
    for (const { status, text } of answers) {
      expect(text).not.toMatch(/SECRET/);
      if (status === 204) expect(text).toBe("");
    }
    expect(answers.filter(({ status }) => status === 204).length).toBeGreaterThanOrEqual(13);
    expect(answers[0]?.headers.get("ETag")).toBe('"v1"');
    expect((await ada.call(documents.updateDocumentRoute, { ...id, json: {} })).text).toContain(DOC);
    const both = await keyOf(ada, ["docs:read", "docs:write"]);
    expect((await both.call(documents.updateDocumentRoute, { ...id, json: {} })).text).toContain(DOC);
  });

  test("does not get its owner's answer under the same Idempotency-Key", async () => {
    const { ada, memory } = await keeper();
    const headers = { "Idempotency-Key": "guessed" };
    const parts = { params: { memory_id: String(memory.id) }, headers };
    expect((await ada.call(memories.confirmMemoryRoute, parts)).text).toContain(MEM);
    const key = await keyOf(ada, ["memory:write"]);
    expect(await key.call(memories.confirmMemoryRoute, parts)).toMatchObject({ status: 204, text: "" });
  });

  test("cannot find out a text by testing whether it contains given parts", async () => {
    const { ada, document } = await keeper();
    const key = await keyOf(ada, ["docs:write"]);
    const params = { document_id: document.id };
    for (const json of [
      { operation: "find_replace", find_text: "D", text: "D" },
      { operation: "find_replace", find_text: "Z", text: "Z" },
      { operation: "find_replace", find_text: "D", text: "D", expected_replacements: 9 },
      { operation: "replace_section", section: "D", text: "D" },
    ]) {
      expect(await key.refusal(documents.editDocumentRoute, { params, json })).toMatchObject({ status: 403 });
      for (const asker of [stateless(key), await initialize(key)]) {
        const given = await asker.ask("tools/call", {
          name: "edit_document",
          arguments: { ...json, id: document.id },
        });
        expect(given.status).toBe(403);
      }
    }
  });
});

describe("the calendar feed", () => {
  const feed = async (url: string) => (await visitor().fetch(url)).status;

  test("is created and revoked only by its owner, never with a key", async () => {
    const { ada } = await keeper();
    const { url } = await ada.ok(createCalendarTokenRoute);
    const key = await keyOf(ada, ACCESSES);
    expect(await key.refusal(createCalendarTokenRoute)).toMatchObject({ status: 403 });
    expect(await key.refusal(revokeCalendarTokenRoute)).toMatchObject({ status: 403 });
    expect(await feed(url)).toBe(200);
  });

  test("is revoked by a password change, and by signing out everywhere", async () => {
    const { ada } = await keeper();
    const first = await ada.ok(createCalendarTokenRoute);
    const json = { current_password: PASSWORD, new_password: "another good one" };
    await ada.ok(changePasswordRoute, { json });
    expect(await feed(first.url)).toBe(404);
    const again = await signIn(ADA, json.new_password);
    const second = await again.ok(createCalendarTokenRoute);
    expect(await feed(second.url)).toBe(200);
    await again.ok(logoutAllRoute);
    expect(await feed(second.url)).toBe(404);
  });
});

describe("a tool", () => {
  /** Values of every form for a field of a tool, by the field's name. */
  function valuesFor(
    [tool, field]: [string, string],
    { document, memory, folder }: Awaited<ReturnType<typeof keeper>>,
  ): unknown[] {
    const base = "https://commonplace.test";
    const docs = [
      document.id,
      `doc:${document.id}`,
      `DOC:${document.id.toUpperCase()}`,
      `doc://${document.id}`,
      `${base}/open/doc/${document.id}`,
      `https://evil.example/api/documents/${document.id}`,
      `doc:${document.id}#1`,
      [`doc:${document.id}`],
    ];
    const records = [
      memory.id,
      String(memory.id),
      `mem:${memory.id}`,
      `memory://${memory.id}`,
      ` mem:${memory.id} `,
      `${base}/open/memory/${memory.id}`,
      `${base}/api/memories/${memory.id}`,
      [memory.id],
    ];
    const known: Record<string, unknown[]> = {
      id: [...docs, ...records],
      ids: tool === "edit_document" ? docs : records,
      folder_id: [folder.id, null],
      replaces_id: [memory.id, `mem:${memory.id}`],
      query: ["common", "type:commitment common", "type:document common"],
      q: ["common"],
      view: ["active", "alerts", "all"],
      outcome: ["confirmed"],
      operation: ["append", "find_replace", "replace_section", "set_fields"],
      memory_type: ["commitment"],
      status: ["active"],
      scope: ["work"],
      sort: ["title"],
      due_date: ["2026-12-24"],
      deferred_until: ["2099-01-01"],
      updated_after: ["2020-01-01"],
      tag: [["x"]],
      tags: [["x"]],
      limit: [5],
      offset: [0],
      expected_version: [1],
      expected_replacements: [1],
      find_text: ["common"],
      section: ["heading"],
    };
    return known[field] ?? ["words"];
  }

  const NEEDED: Record<string, Record<string, unknown>> = {
    search: { query: "common" },
    create_document: { title: "T", text: "x" },
    edit_document: { operation: "append", text: "x" },
    remember: { memory_type: "context", topic: "T", content: "C" },
    update_memory: { scope: "work" },
    close_memories: { outcome: "confirmed" },
  };

  /** Every call of a tool: each field in each form, under each of its names, together with the required fields. */
  function callsOf(tool: (typeof TOOLS)[number], kept: Awaited<ReturnType<typeof keeper>>) {
    const fields = Object.keys(tool.input.shape);
    const needed = NEEDED[tool.name] ?? {};
    const idField = fields.includes("id")
      ? { id: kept.memory.id }
      : fields.includes("ids")
        ? { ids: [kept.memory.id] }
        : {};
    return fields.flatMap((field) => {
      const names = Object.entries(tool.aliases ?? {}).flatMap(([alias, of]) =>
        of === field ? [alias] : [],
      );
      return valuesFor([tool.name, field], kept).flatMap((value) =>
        [field, ...names].map((name) => {
          const { [field]: _, ...others }: Record<string, unknown> = { ...idField, ...needed };
          const forDocument =
            tool.name === "edit_document" && field !== "ids" ? { ids: [kept.document.id] } : {};
          return { ...others, ...forDocument, [name]: value };
        }),
      );
    });
  }

  const calls = (kept: Awaited<ReturnType<typeof keeper>>) =>
    TOOLS.filter(({ name }) => name !== "delete_document").flatMap((tool) =>
      [{}, ...callsOf(tool, kept)].map((args) => ({ name: tool.name, arguments: args })),
    );

  type Ask = (params: Calls[number]) => Promise<unknown>;
  type Calls = ReturnType<typeof calls>;

  async function expectNothing(ask: Ask, scopes: readonly Access[], all: Calls) {
    for (const params of all) {
      const text = JSON.stringify(await ask(params));
      for (const secret of forbiddenTo(scopes)) {
        expect(text, `${scopes}: ${JSON.stringify(params)}`).not.toContain(secret);
      }
    }
  }

  test("returns nothing beyond any set of scopes, under any name and in any form", {
    timeout: 60_000,
  }, async () => {
    const kept = await keeper();
    const letIn = {
      ...(await ctxOf(kept.ada)),
      admit: async () => {},
      key: async () => undefined,
      plan: () => undefined,
      isExtended: () => false,
      goOn: () => {},
    };
    const all = calls(kept);
    expect(all.length).toBeGreaterThan(150);
    for (const scopes of SUBSETS.filter((subset) => forbiddenTo(subset).length > 0)) {
      await expectNothing(async (params) => answer("tools/call", params, { ...letIn, scopes }), scopes, all);
    }
  });

  test.for(ACCESSES)(
    "answers nothing beyond %s to clients of both generations, nor fails over any question",
    { timeout: 60_000 },
    async (scope) => {
      const kept = await keeper();
      const key = await keyOf(kept.ada, [scope]);
      const some = calls(kept).filter((call, n) => call.name === "fetch" || n % 4 === 0);
      for (const asker of [stateless(key), await initialize(key)]) {
        const ask: Ask = async (params) => {
          const { status, result, error } = await asker.ask("tools/call", params);
          expect(status, JSON.stringify(params)).toBeLessThan(500);
          return { result, error };
        };
        await expectNothing(ask, [scope], some);
      }
    },
  );

  test("that writes has a receipt, as its answer reveals more than was sent", () => {
    for (const tool of TOOLS) {
      const writes = [tool.access].flat().some((access) => access.endsWith(":write"));
      expect(tool.receipt !== undefined, tool.name).toBe(writes);
    }
  });

  test("reads nothing beyond an OAuth grant, nor as a resource", async () => {
    const { document, memory } = await keeper();
    const docs = { scopes: ["docs:read"], uri: `memory://${memory.id}`, id: `mem:${memory.id}` };
    const records = { scopes: ["memory:read"], uri: `doc://${document.id}`, id: `doc:${document.id}` };
    for (const { scopes, uri, id } of [docs, records]) {
      const { mcp } = await connect(ADA, scopes);
      for (const asker of [stateless(mcp), await initialize(mcp)]) {
        for (const name of ["id", "uri", "url", "document_id", "memory_id"]) {
          const given = await asker.ask("tools/call", { name: "fetch", arguments: { [name]: id } });
          expect(given.status, name).toBe(403);
          expect(given.headers.get("WWW-Authenticate")).toContain('error="insufficient_scope"');
        }
        expect((await asker.ask("resources/read", { uri })).status).toBe(403);
      }
    }
  });

  test("is also refused in a batch, whether nested, long or full of nonsense", async () => {
    const { ada, memory } = await keeper();
    const key = await keyOf(ada, ["docs:read"]);
    const session = await initialize(key, "2025-03-26");
    const call = (id: number, args: unknown) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "fetch", arguments: args },
    });
    const bad = call(2, { uri: `mem:${memory.id}` });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const body of [[list, bad], [[bad]], [list, [bad]], [null, bad], [bad, 7], [call(3, [bad]), bad]]) {
      const given = await post(key, body, session.headers);
      expect(given.status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(given)).not.toContain(MEM);
    }
    for (const args of [
      { id: { uri: `mem:${memory.id}` } },
      { __proto__: { id: `mem:${memory.id}` } },
      "mem:1",
      null,
    ]) {
      const given = await post(key, call(4, args), session.headers);
      expect(JSON.stringify(given)).not.toContain(MEM);
    }
  });
});
