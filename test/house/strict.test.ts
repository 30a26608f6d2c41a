import type { RouteConfig } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import * as apiKeys from "../../src/features/api-keys/routes.ts";
import * as auth from "../../src/features/auth/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import * as folders from "../../src/features/folders/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { readInput } from "../../src/platform/tools/tool-input.ts";
import { type Client, type Parts, person } from "../kit/client.ts";
import { OPERATIONS, resolve, type Schema } from "../kit/description.ts";
import { stateless, use } from "../kit/mcp.ts";
import { NOBODYS_ID, named, pathOf, takesFile } from "../kit/operations.ts";

// What a request may not hold: unknown names, endless lists, folders of others.

async function ask(
  client: Client,
  route: RouteConfig,
  { query = "", json }: { query?: string; json?: unknown },
) {
  const body = json === undefined ? {} : { body: JSON.stringify(json), headers: JSON_BODY };
  const answer = await client.fetch(`${pathOf(route)}${query}`, {
    method: route.method.toUpperCase(),
    ...body,
  });
  const text = await answer.text();
  return { status: answer.status, detail: text.startsWith("{") ? String(JSON.parse(text).detail) : text };
}

type Json = Record<string, unknown>;
const JSON_BODY = { "Content-Type": "application/json" };

/** How many requests one person sends, which is fewer than the limit for a minute. */
const BY_ONE = 25;

describe("an unknown name", () => {
  let client: Client;

  test("is refused in the query of every operation", async () => {
    for (const [at, [name, route]] of named.entries()) {
      if (at % BY_ONE === 0) client = await person();
      const { status, detail } = await ask(client, route, { query: "?zzzz=1" });
      const expected = expect.stringMatching(/(^|; )zzzz: is not a parameter here; (use |there are none)/);
      expect([status, detail], name).toEqual([422, expected]);
    }
  });

  test("is refused in the body of every operation, including those without a body", async () => {
    const sending = named.filter(([, route]) => route.method !== "get" && !takesFile(route));
    expect(sending.length).toBeGreaterThan(25);
    for (const [at, [name, route]] of sending.entries()) {
      if (at % BY_ONE === 0) client = await person();
      const { status, detail } = await ask(client, route, { json: { zzzz: 1 } });
      const expected = expect.stringMatching(/^zzzz: is not a field here; (use |there are none)/);
      expect([status, detail], name).toEqual([422, expected]);
      expect((await client.call(auth.getMeRoute)).status, name).toBe(200);
    }
  });

  test("is published as refused, in every object of every request", async () => {
    const description = (await (await (await person()).fetch("/openapi.json")).json()) as {
      components: { schemas: Record<string, Json> };
      paths: Record<string, Record<string, { requestBody?: Json }>>;
    };
    const seen = new Set<string>();
    const open: string[] = [];
    const follow = ($ref: unknown): void => {
      const name = String($ref).split("/").at(-1) ?? "";
      if ($ref === undefined || seen.has(name)) return;
      seen.add(name);
      walk(description.components.schemas[name], name);
    };
    const visit = (schema: Json, path: string): void => {
      follow(schema.$ref);
      if (schema.properties && schema.additionalProperties !== false) open.push(path);
      for (const [key, value] of Object.entries(schema)) walk(value, `${path}/${key}`);
    };
    const walk = (value: unknown, path: string): void => {
      const isExample = /\/examples?$/.test(path);
      if (typeof value === "object" && value !== null && !isExample) visit(value as Json, path);
    };
    for (const [path, methods] of Object.entries(description.paths)) {
      for (const { requestBody } of Object.values(methods)) walk(requestBody, path);
    }
    expect(seen.size).toBeGreaterThan(10);
    expect(open).toEqual([]);
  });

  test("is refused within objects and lists, with its path", async () => {
    const ada = await person();
    const me = await ada.refusal(auth.updateMeRoute, { json: { stale_after_days: { commitments: 3 } } });
    expect(me.detail).toBe("stale_after_days.commitments: is not a field here; did you mean commitment?");
    const json = { operations: [{ operation: "resolve", id: 1, note: "done" }] };
    const records = await ada.refusal(memories.changeMemoriesRoute, { json });
    expect(records.detail).toBe("operations.0.note: is not a field here; did you mean resolution_note?");
    const answer = await ada.ok(documents.bulkDocumentsRoute, {
      json: {
        operations: [
          { operation: "create", title: "Plan", text: "lost" },
          { operation: "update", id: NOBODYS_ID, version: 3 },
          { operation: "explode" },
          {},
          "nonsense",
        ],
      },
    });
    expect(answer.results.map(({ detail }) => detail)).toEqual([
      "text: is not a field here; did you mean content?",
      "version: is not a field here; did you mean expected_version?",
      "operation: must be one of create, update, delete, move, add_tags, remove_tags",
      "operation: is required",
      "operation: must be an object",
    ]);
    expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(0);
  });

  test("leads to the right one", async () => {
    const ada = await person();
    const meant = async (path: string, json?: object) => {
      const [method = "", target = ""] = path.split(" ");
      const body = json && { body: JSON.stringify(json), headers: JSON_BODY };
      const answer = await ada.fetch(target, { method, ...body });
      const { detail } = (await answer.json()) as { detail: string };
      return [
        answer.status,
        /^\w+: is not a (?:field|parameter) here; did you mean (\w+)\?/.exec(detail)?.[1],
      ];
    };
    expect(await meant("POST /api/documents", { title: "x", text: "hello" })).toEqual([422, "content"]);
    expect(await meant("POST /api/memories/1/defer", { until: "2026" })).toEqual([422, "deferred_until"]);
    expect(await meant(`PUT /api/folders/${NOBODYS_ID}`, { title: "x" })).toEqual([422, "name"]);
    expect(await meant("POST /api/auth/password", { old_password: "x" })).toEqual([422, "current_password"]);
    // A filter that is not understood is refused instead of filtering nothing.
    expect(await meant("GET /api/documents?folder=Work")).toEqual([422, "folder_id"]);
    expect(await meant("GET /api/search?q=x&typ=all")).toEqual([422, "type"]);
    expect(await meant("GET /api/dashboard/commitment-history?per_page=5")).toEqual([422, "limit"]);
  });

  test("in an MCP call is refused with the same words, and an alias is accepted", async () => {
    const asker = stateless(await person());
    const record = { memory_type: "commitment", topic: "Slides", content: "For Grace" };
    expect((await use(asker, "remember", { ...record, dueDat: "2026-12-24" })).refused).toMatch(
      /^dueDat: is not a field here; did you mean due_date\? Call remember again with: /,
    );
    expect(await use(asker, "remember", { ...record, due: "2026-12-24" })).toMatchObject({
      memory: { due_date: "2026-12-24 (Thursday)" },
    });
  });

  test("that every JavaScript object has is as unknown as any other", async () => {
    const ada = await person();
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      const json = `{"title": "x", "${name}": 1}`;
      const refusal = await ada.refusal(documents.createDocumentRoute, { body: json, headers: JSON_BODY });
      expect(refusal.detail).toContain(`${name}: is not a field here; use title, content, `);
      expect((await ada.fetch(`/api/tags?${name}=1`)).status, name).toBe(422);
      for (const tool of TOOLS)
        expect(() => readInput(tool, JSON.parse(json)), tool.name).toThrow(`${name}: is not a field here`);
    }
  });

  test("is not confused with two names for one field", async () => {
    const asker = stateless(await person());
    const document = { title: "Plan", text: "x" };
    expect((await use(asker, "create_document", { ...document, content: "y" })).refused).toMatch(
      /^text: was sent under two names with different values: send it once\. Call create_document again with: /,
    );
    expect(await use(asker, "create_document", { ...document, content: "x" })).toMatchObject({
      title: "Plan",
    });
  });

  test("of a megabyte gets a short answer, and many are answered as quickly as one", async () => {
    const ada = await person();
    const long = await ada.refusal(documents.createDocumentRoute, { json: { ["x".repeat(1_000_000)]: 1 } });
    expect(long.detail.length).toBeLessThan(300);
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`field_${n}`, 1]));
    const refusal = await ada.refusal(documents.createDocumentRoute, { json: many });
    expect(refusal.detail.split("; use ").length).toBeLessThanOrEqual(6);
  });
});

/** The lists in a schema that state no maximum length, by path. */
function unboundedLists(schema: Schema, path: string, seen: readonly Schema[] = []): string[] {
  const found = resolve(schema);
  if (seen.includes(found)) return [];
  const inside = (part: Schema, name: string) => unboundedLists(part, `${path}.${name}`, [...seen, found]);
  const options = [...(found.oneOf ?? []), ...(found.anyOf ?? [])];
  return [
    ...(found.items && found.maxItems === undefined ? [path] : []),
    ...(found.items ? inside(found.items, "items") : []),
    ...options.flatMap((option) => inside(option, "option")),
    ...Object.entries(found.properties ?? {}).flatMap(([name, field]) => inside(field, name)),
  ];
}

test("every list in a request has a maximum length", () => {
  const requests = OPERATIONS.flatMap(({ operation: { operationId, parameters = [], requestBody } }) => [
    ...parameters.flatMap(({ name, schema }) => unboundedLists(schema, `${operationId}.${name}`)),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => unboundedLists(schema, operationId)),
  ]);
  const calls = TOOLS.flatMap(({ name, input }) =>
    unboundedLists(z.toJSONSchema(input, { io: "input" }) as Schema, name),
  );
  expect([...requests, ...calls]).toEqual([]);
});

test("no field of a request that has a default is required", () => {
  const required = OPERATIONS.flatMap(({ operation: { operationId, requestBody } }) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => {
      const { required = [], properties = {} } = resolve(schema);
      const filled = required.filter((name) => resolve(properties[name] ?? {}).default !== undefined);
      return filled.map((name) => `${operationId}.${name}`);
    }),
  );
  expect(required).toEqual([]);
});

test("a list of 200,000 items is refused", async () => {
  const ada = await person();
  const list = Array.from({ length: 200_000 }, () => []);
  const key = await ada.refusal(apiKeys.createApiKeyRoute, { json: { name: "x", scopes: list } });
  expect(key).toEqual({ status: 422, detail: "scopes: must have at most 5 items" });
  const { refused } = await use(stateless(ada), "create_document", { title: "x", text: "x", tags: list });
  expect(refused).toMatch(/^tags: must have at most 50 items/);
});

test("an unknown folder is named, and another account's cannot be told from none", async () => {
  const [ada, bob] = [await person(), await person()];
  const folderOf = async (client: Client) =>
    (await client.ok(folders.createFolderRoute, { json: { name: "F" } })).id;
  const [foreign, folder_id] = [await folderOf(bob), await folderOf(ada)];
  const document = (await ada.ok(documents.createDocumentRoute, { json: { title: "Plan" } })).id;
  const create = documents.createDocumentRoute;
  const [params, at] = [{ folder_id }, { document_id: document }];
  const refusals: [RouteConfig, (id: string) => Parts, string][] = [
    [create, (id) => ({ json: { title: "x", folder_id: id } }), "folder_id"],
    [
      create,
      (id) => ({ json: { title: "x", folder_id: id }, headers: { "Idempotency-Key": id } }),
      "folder_id",
    ],
    [documents.updateDocumentRoute, (id) => ({ params: at, json: { folder_id: id } }), "folder_id"],
    [documents.listDocumentsRoute, (id) => ({ query: { folder_id: id } }), "folder_id"],
    [folders.createFolderRoute, (id) => ({ json: { name: "x", parent_id: id } }), "parent_id"],
    [folders.updateFolderRoute, (id) => ({ params, json: { parent_id: id } }), "parent_id"],
    [folders.listFoldersRoute, (id) => ({ query: { parent_id: id } }), "parent_id"],
  ];
  for (const [route, parts, field] of refusals)
    for (const id of [foreign, NOBODYS_ID]) {
      const answer = await ada.call(route, parts(id));
      expect([answer.status, answer.text]).toEqual([404, `{"detail":"${field}: not found"}`]);
    }
  const asker = stateless(ada);
  for (const id of [foreign, NOBODYS_ID]) {
    const operations = [{ operation: "move", id: document, folder_id: id }];
    const bulk = await ada.ok(documents.bulkDocumentsRoute, { json: { operations } });
    expect(bulk.results[0]?.detail).toBe("folder_id: not found");
    for (const [tool, args] of [
      ["create_document", { title: "x", text: "x" }],
      ["edit_document", { id: document, operation: "set_fields" }],
    ] as const)
      expect((await use(asker, tool, { ...args, folder_id: id })).refused).toContain(
        `folder: there is no "${id}"`,
      );
  }
});
