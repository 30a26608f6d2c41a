import type { RouteConfig, z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { nearestName } from "../../src/contract/nearest-name.ts";
import { describeProblems } from "../../src/contract/problems.ts";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import * as documents from "../../src/features/documents/routes.ts";
import * as folders from "../../src/features/folders/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { readInput } from "../../src/platform/tools/tool-input.ts";
import { type Parts, person } from "../kit/client.ts";

import { jsonOf, named, pathOf } from "../kit/operations.ts";

// Validation errors are worded for people, wherever they come from.

test.for([
  ["due", "title due_date due_before", "due_date"],
  ["dueDate", "topic due_date", "due_date"],
  ["Tags[]", "tags", "tags"],
  ["tag", "title tags", "tags"],
  ["tags", "tag type", "tag"],
  ["titel", "title tags", "title"],
  ["note", "resolution_note resolved_at", "resolution_note"],
  ["note", "deferred_until note", "note"],
  ["type", "memory_type topic", "memory_type"],
  ["updated_since", "updated_before updated_after sort", "updated_after"],
  ["since", "updated_before updated_after sort", "updated_after"],
  ["page", "limit offset", "offset"],
  ["expires", "name scopes expires_at", "expires_at"],
  ["id", "folder_id title", undefined],
  ["created_at", "title content folder_id tags", undefined],
  ["zzzz", "title content", undefined],
  ["", "title", undefined],
  ["__proto__", "title", undefined],
] as const)("of %j among %s, %j is meant", ([sent, known, meant]) => {
  expect(nearestName(sent, known.split(" "))).toBe(meant);
  expect(nearestName(sent, [])).toBeUndefined();
});

// Sends each of these values to every schema and checks the wording of the errors.

const JUNK: unknown[] = [
  ...[undefined, null, true, 0, -1, 1.5, 1e300, Number.NaN, "", " ", "x", "a\u0000", "-1", "1.5"],
  ...["999999999999999999"],
  ...["x".repeat(3000), [], [null], [1], ["x"], Array(200).fill("x"), {}, { zzzz: 1 }],
];

type Def = {
  type: string;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  out?: z.core.$ZodType;
  element?: z.core.$ZodType;
  shape?: Record<string, z.core.$ZodType>;
  options?: z.core.$ZodType[];
  values?: unknown[];
};

/** Values that a schema may refuse: junk in each of its fields. */
function junkFor(schema: z.core.$ZodType): unknown[] {
  const def = schema._zod.def as unknown as Def;
  const isPreprocess = (def.in?._zod.def as Def | undefined)?.type === "transform";
  const inner = def.innerType ?? (isPreprocess ? def.out : def.in);
  if (inner) return junkFor(inner);
  if (def.element) return [...JUNK, ...junkFor(def.element).map((value) => [value])];
  if (def.options) return [...JUNK, ...def.options.flatMap(junkFor)];
  if (!def.shape) return JUNK;
  const fields = Object.entries(def.shape);
  const tags = fields.flatMap(([name, field]) => {
    const { type, values } = field._zod.def as unknown as Def;
    return type === "literal" ? [[name, values?.[0]]] : [];
  });
  const tag = Object.fromEntries(tags);
  return [
    ...JUNK,
    ...fields.flatMap(([name, field]) => junkFor(field).map((value) => ({ ...tag, [name]: value }))),
  ];
}

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 100);

const JARGON =
  /\b(expected|received|invalid|unrecognized|undefined|null input|NaN|too (small|big))\b|\[object/i;

const LINE = /^[^:\s]+: ./;

function readsWell(detail: string, where: string) {
  expect(detail, where).not.toMatch(JARGON);
  expect(detail, where).toMatch(LINE);
  expect(detail.length, where).toBeLessThan(1500);
}

/** The schemas of every part of a request. */
const schemasOf = (route: RouteConfig) => {
  const { query, params, headers = [] } = route.request ?? {};
  return [query, params, ...[headers].flat(), jsonOf(route)].filter(Boolean) as z.ZodType[];
};

test("every schema of the API words its errors for people", () => {
  const refusals = named.flatMap(([name, route]) =>
    schemasOf(route).flatMap((schema) =>
      junkFor(schema).flatMap((value) => {
        const { error } = schema.safeParse(value);
        return error ? [[describeProblems(error), `${name} ${shown(value)}`] as const] : [];
      }),
    ),
  );
  expect(refusals.length).toBeGreaterThan(2000);
  for (const [detail, where] of refusals) readsWell(detail, where);
});

test("every operation words its errors about junk for people", async () => {
  const ada = await person();
  const bodies = JUNK.flatMap((value) => JSON.stringify(value) ?? []);
  for (const [name, route] of named.filter(([, route]) => jsonOf(route))) {
    for (const body of ["", "{", "[", ...bodies]) {
      const answer = await ada.fetch(pathOf(route), {
        method: route.method.toUpperCase(),
        headers: { "Content-Type": "application/json" },
        body,
      });
      const text = await answer.text();
      expect(answer.status, `${name} ${body.slice(0, 100)}: ${text}`).toBeLessThan(500);
      if (answer.status >= 400) expect(JSON.parse(text).detail, name).not.toMatch(JARGON);
    }
  }
});

test("every MCP tool words its errors for people", () => {
  let refused = 0;
  for (const tool of TOOLS) {
    for (const value of junkFor(tool.input)) {
      try {
        readInput(tool, value);
      } catch (problem) {
        refused += 1;
        readsWell((problem as Error).message, `${tool.name} ${shown(value)}`);
      }
    }
  }
  expect(refused).toBeGreaterThan(500);
});

const CREATE = documents.createDocumentRoute;
const LIST = documents.listDocumentsRoute;

test.for([
  [CREATE, { json: {} }, "title: is required"],
  [CREATE, { json: { title: 5 } }, "title: must be text"],
  [CREATE, { json: [] }, "body: must be an object"],
  [
    CREATE,
    { json: { title: "", tags: ["a", "b", "c", "x".repeat(65)] } },
    "title: must not be empty; tags.3: must have at most 64 characters",
  ],
  [LIST, { query: { limit: 0 } }, "limit: must be between 1 and 100"],
  [
    LIST,
    { query: { limit: "ten", offset: -1 } },
    "limit: must be a whole number; offset: must be at least 0",
  ],
  [LIST, { query: { sort: "size" } }, "sort: must be one of updated_at, changed_at, created_at, title"],
  [folders.listFoldersRoute, { query: { parent_id: "top" } }, "parent_id: must be a UUID or none"],
  [
    memories.createMemoryRoute,
    { json: { due: 1, memory_type: "promise", topic: " ", due_date: "soon", tags: "x", scope: 1 } },
    "due: is not a field here; did you mean due_date?; " +
      "memory_type: must be one of commitment, decision, blocker, pattern, preference, context; " +
      "topic: must not be empty; content: is required; tags: must be a list, not text; and 2 more",
  ],
] as [RouteConfig, Parts, string][])(
  "a refusal names up to five problems, and how many more there are (%#)",
  async ([route, parts, detail]) => {
    expect(await (await person()).refusal(route, parts)).toEqual({ status: 422, detail });
  },
);
