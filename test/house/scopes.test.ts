import type { RouteConfig } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { ACCESS_SCOPES, BRIEFING_SCOPE, grantsScope } from "../../src/contract/access.ts";
import { changePasswordRoute, getMeRoute, logoutAllRoute } from "../../src/features/auth/routes.ts";
import { createCalendarTokenRoute } from "../../src/features/dashboard/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { updateFolderRoute } from "../../src/features/folders/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { renameTagRoute } from "../../src/features/tags/routes.ts";
import { neededScopes } from "../../src/platform/http/rules.ts";
import { type Answer, PASSWORD, type Parts, signIn, visitor } from "../kit/client.ts";
import { initialize, stateless } from "../kit/mcp.ts";
import { nameOf, operations, pathOf, rulesOf } from "../kit/operations.ts";
import { ADA, DOC, forbiddenTo, keeper, keyOf, MEM, SUBSETS } from "../kit/scopes.ts";

// No answer may reveal what a token may not read, however the request is made.

describe("each operation of the API", () => {
  /** What anyone may call: this list is written by hand, so that nothing is public by a slip. */
  const OPEN =
    /^(\/health|\/api\/(auth\/(register|login(\/.*)?|refresh|logout|password-reset(\/confirm)?|email\/(confirm|undo|verify))|dashboard\/calendar\.ics|reminders\/act))$/;

  /** What keys may call: the same. */
  const FOR_KEYS =
    /^\/api\/(activity|billing\/(status|usage)$|briefing|changes|dashboard\/(commitments|alerts|commitment-history|summary)$|documents|export|files|folders|import|jobs|memories|projects|search(\/suggest)?$|tags|tidy|trash)/;

  const forKeys = operations.filter(({ rules }) => !["anyone", "person"].includes(String(rules.access)));
  const forPersons = operations.filter(({ rules }) => rules.access === "person");

  test("lets in only whom it says", async () => {
    for (const route of operations) {
      const { access } = route.rules;
      expect(access === "anyone", nameOf(route)).toBe(OPEN.test(route.path));
      expect(forKeys.includes(route), nameOf(route)).toBe(FOR_KEYS.test(route.path));
      const broken = access === "anyone" ? [] : [{ Authorization: "Bearer broken.token.here" }];
      const method = route.method.toUpperCase();
      const asked = [{}, ...broken].map((headers) =>
        visitor().fetch(pathOf(route), { method, headers: headers as HeadersInit }),
      );
      for (const answer of await Promise.all(asked)) {
        const given = [answer.status, answer.headers.get("WWW-Authenticate"), await answer.text()];
        const isRefused = given.join() === '401,Bearer,{"detail":"Missing or invalid token"}';
        expect(isRefused, `${nameOf(route)}: ${given}`).toBe(access !== "anyone");
      }
    }
  });

  test("needs a scope to write, the one of what it changes, and only scopes to read otherwise", () => {
    const SCOPES = { document: "docs:write", folder: "docs:write", memory: "memory:write" };
    for (const route of forKeys) {
      const needed = neededScopes(route.rules.access, ["all"]) ?? [];
      const isRead = route.method === "get";
      const changes = isRead ? [] : (rulesOf(route).changes ?? []);
      expect(needed, nameOf(route)).toEqual(expect.arrayContaining(changes.map((kind) => SCOPES[kind])));
      const others = needed.filter((scope) => !scope.endsWith(isRead ? ":read" : ":write"));
      expect(others, nameOf(route)).toEqual([]);
    }
  });

  test("that requires a sign-in refuses a key with every scope, and so does a path without one", async () => {
    const { ada } = await keeper();
    const key = await keyOf(ada, ACCESS_SCOPES);
    expect(forPersons.length).toBeGreaterThan(30);
    const unknown = ["/api/documents/x/y/z", "/api/nothing"];
    for (const path of unknown) expect((await key.fetch(path)).status, path).toBe(403);
    for (const route of forPersons) {
      const { status } = await key.fetch(pathOf(route), { method: route.method.toUpperCase() });
      expect(status, nameOf(route)).toBe(403);
    }
    expect((await ada.ok(getMeRoute)).email).toBe(ADA);
  });

  test("cannot be reached under another spelling of its path", async () => {
    const { ada } = await keeper();
    const key = await keyOf(ada, ACCESS_SCOPES);
    for (const path of [
      ...["/api/dashboard/%63alendar-token", "/api/dashboard/x/../calendar-token"],
      ...["/api/memories/..%2fapi-keys"],
      ...["/api/memories/../dashboard/calendar-token", "/api//dashboard/calendar-token", "/api/%61pi-keys"],
      ...["/api/dashboard/calendar-token/", "/api/dashboard/calendar-token%2f"],
      ...["/API/dashboard/calendar-token"],
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
      for (const route of forKeys) {
        const needed = neededScopes(route.rules.access) ?? [];
        if (needed.every((one) => grantsScope(scopes, one))) continue;
        const given = await key.fetch(`${pathOf(route)}?q=common`, { method: route.method.toUpperCase() });
        expect(given.status, `${nameOf(route)} with ${scopes}`).toBe(403);
      }
    }
  });
});

test("a key for the briefing reads it and nothing else, in the API and over MCP", async () => {
  const { ada } = await keeper();
  const key = await keyOf(ada, [BRIEFING_SCOPE]);
  for (const route of operations.filter(({ rules }) => rules.access !== "anyone")) {
    const isBriefing = route.path === "/api/briefing";
    const { status } = await key.fetch(pathOf(route), { method: route.method.toUpperCase() });
    expect(status, nameOf(route)).toBe(isBriefing ? 200 : 403);
  }
  for (const method of ["tools/list", "tools/call", "prompts/list", "resources/list"]) {
    const { status } = await stateless(key).ask(method, { name: "whoami", arguments: {} });
    expect(status, method).toBe(403);
  }
  const reader = await keyOf(ada, ["memory:read"]);
  expect(await (await reader.fetch("/api/briefing")).text()).toContain(MEM);
  const writer = await keyOf(ada, ["docs:read", "memory:write"]);
  expect((await writer.fetch("/api/briefing")).status).toBe(403);
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
  const paths = queries.flatMap((q) => types.map((type) => `/api/search?q=${encodeURIComponent(q)}${type}`));
  for (const scopes of [["docs:read"], ["memory:read"]] as const) {
    const key = await keyOf(ada, scopes);
    for (const path of paths) {
      const text = await (await key.fetch(path)).text();
      for (const secret of forbiddenTo(scopes)) expect(text, `${scopes} ${path}`).not.toContain(secret);
    }
  }
});

describe("a write with a key that may not read", () => {
  test("returns nothing that was not sent", async () => {
    const { ada, folder, document, memory } = await keeper();
    const key = await keyOf(ada, ["docs:write", "memory:write"]);
    const id = { params: { document_id: document.id } };
    const record = { params: { memory_id: String(memory.id) } };
    const update = { operation: "update", id: document.id, title: "T" };
    const calls: [RouteConfig, Parts][] = [
      [documents.updateDocumentRoute, { ...id, json: {} }],
      [documents.updateDocumentRoute, { ...id, json: { content: { format: "markdown", text: "new" } } }],
      [documents.editDocumentRoute, { ...id, json: { operation: "append", text: "more" } }],
      [documents.restoreVersionRoute, { params: { ...id.params, version: "1" } }],
      [
        documents.bulkDocumentsRoute,
        { json: { operations: [update, { operation: "move", id: document.id }] } },
      ],
      [updateFolderRoute, { params: { folder_id: folder.id }, json: {} }],
      [renameTagRoute, { params: { name: DOC }, json: { name: "renamed" } }],
      [memories.updateMemoryRoute, { ...record, json: {} }],
      [memories.confirmMemoryRoute, record],
      [memories.deferMemoryRoute, { ...record, json: {} }],
      [memories.reopenMemoryRoute, record],
      [memories.resolveMemoryRoute, { ...record, json: {} }],
      [memories.archiveMemoryRoute, record],
      [memories.changeMemoriesRoute, { json: { operations: [{ operation: "reopen", id: memory.id }] } }],
      [memories.supersedeMemoryRoute, { ...record, json: { content: "New" } }],
      [documents.deleteDocumentRoute, id],
      [documents.restoreDocumentRoute, id],
    ];
    const answers: Answer[] = [];
    for (const [route, parts] of calls) answers.push(await key.call(route, parts));
    for (const { status, text } of answers) {
      expect(text).not.toMatch(/SECRET/);
      if (status === 204) expect(text).toBe("");
    }
    expect(answers.filter(({ status }) => status === 204).length).toBeGreaterThanOrEqual(13);
    expect(answers[0]?.headers.get("ETag")).toBe('"v1"');
    for (const reader of [ada, await keyOf(ada, ["docs:read", "docs:write"])])
      expect((await reader.call(documents.updateDocumentRoute, { ...id, json: {} })).text).toContain(DOC);
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
      const call = { name: "edit_document", arguments: { ...json, id: document.id } };
      for (const asker of [stateless(key), await initialize(key)])
        expect((await asker.ask("tools/call", call)).status).toBe(403);
    }
  });
});

describe("the calendar feed", () => {
  const feed = async (url: string) => (await visitor().fetch(url)).status;

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
