import { expect, test } from "vitest";
import { z } from "zod";
import type { OpenApiSchema } from "../../src/doors/docs/describe.ts";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import { person } from "../kit/client.ts";
import { OPERATIONS, partsOf, resolve } from "../kit/description.ts";
import { initialize, stateless } from "../kit/mcp.ts";
import { belongings, withOwn } from "../kit/named.ts";

// Every list that a request may have, as long as the description allows, with everything else that it may have: D1 takes a
// hundred parameters in a statement, and 100 KB of it. The kit refuses more, as D1 does.

const LONGEST = 1000;

const TEXTS: Record<string, (index: number) => string> = {
  uuid: (index) => `01936b1e-7c3a-7f10-9a53-${String(index).padStart(12, "0")}`,
  date: () => "2026-12-24",
  "date-time": () => "2026-11-01T08:00:00Z",
  email: (index) => `e${index}@example.com`,
  uri: (index) => `https://example.com/${index}`,
};

function textOf({ format = "", pattern, maxLength = 40, example }: OpenApiSchema, index: number): string {
  const known = TEXTS[format];
  if (known) return known(index);
  if (pattern) return String(example ?? index + 1);
  return `Ärger ${index}`.slice(0, maxLength);
}

/** A value that has everything which the schema allows, and as many items; the items of a list differ. */
function fullest(schema: OpenApiSchema, index = 0): unknown {
  const {
    enum: options,
    oneOf,
    anyOf = oneOf,
    items,
    properties = {},
    type,
    example,
    ...rest
  } = resolve(schema);
  if (anyOf) return fullest(anyOf[index % anyOf.length] ?? {}, index);
  if (options) return options[index % options.length];
  const kind = [type].flat().find((one) => one !== "null");
  if (kind === "array") {
    const length = Math.min(rest.maxItems ?? 0, LONGEST);
    return Array.from({ length }, (_, place) => fullest(items ?? {}, place));
  }
  if (kind === "integer" || kind === "number")
    return Math.min((rest.minimum ?? 1) + index, rest.maximum ?? 2 ** 31);
  if (kind === "boolean") return true;
  if (kind === "string") return textOf({ ...rest, example }, index);
  const fields = Object.entries(properties).filter(
    ([, field]) => !(resolve(field) as { readOnly?: true }).readOnly,
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, fullest(field, index)]));
}

function hasList(schema: OpenApiSchema, seen: readonly OpenApiSchema[] = []): boolean {
  const found = resolve(schema);
  if (seen.includes(found)) return false;
  const parts = [...(found.oneOf ?? []), ...(found.anyOf ?? []), ...Object.values(found.properties ?? {})];
  return found.items !== undefined || parts.some((part) => hasList(part, [...seen, found]));
}

const bodyOf = (content: Record<string, { schema: OpenApiSchema }> | undefined) =>
  content?.["application/json"]?.schema;

/** A cursor is that of a page before, and a list of its own. */
const WITHOUT = ["cursor"];

const WITH_LISTS = OPERATIONS.filter(({ operation: { parameters = [], requestBody } }) =>
  [...parameters.map(({ schema }) => schema), bodyOf(requestBody?.content) ?? {}].some((one) => hasList(one)),
);

test("the longest lists that a request may have, with all filters at once, are never an error of the service", async () => {
  const ada = await person();
  const own = belongings(ada);
  const answers: Record<string, number> = {};
  for (const offered of WITH_LISTS) {
    const { operationId, parameters = [], requestBody } = offered.operation;
    const asked = parameters.filter(({ name, in: place }) => place !== "header" && !WITHOUT.includes(name));
    const values = asked.map(
      async ({ name, schema }): Promise<[string, unknown]> => [name, (await own(name)) ?? fullest(schema)],
    );
    const schema = bodyOf(requestBody?.content);
    const body = schema && (await withOwn(fullest(schema), own));
    const parts = partsOf(offered, { parameters: await Promise.all(values), body });
    const { status, text } = await ada.call(offered.route, parts);
    expect(status, `${operationId}: ${text}`).toBeLessThan(500);
    answers[operationId] = status;
  }
  expect(answers).toMatchObject({ listDocuments: 200, listMemories: 200, search: 200 });
});

test("nor are those of a tool, one at a time and all at once", async () => {
  const ada = await person();
  const own = belongings(ada);
  await Promise.all([own("memory_id"), own("document_id")]);
  const older = await initialize(ada);
  for (const { name, input } of TOOLS) {
    const schema = z.toJSONSchema(input, { io: "input" }) as OpenApiSchema;
    const all = fullest(schema) as Record<string, unknown>;
    const needed = Object.fromEntries((schema.required ?? []).map((field) => [field, all[field]]));
    const lists = Object.keys(all).filter((field) => Array.isArray(all[field]));
    const single = lists.map((field) => ({ ...needed, [field]: all[field] }));
    const calls = [[older, all] as const, ...[all, ...single].map((args) => [stateless(ada), args] as const)];
    for (const [asker, args] of calls) {
      const { result, error } = await asker.ask("tools/call", { name, arguments: args });
      const { _meta } = (result ?? {}) as { _meta?: Record<string, string> };
      const code = _meta?.["commonplace/error-code"];
      expect([name, error, code === "internal"], JSON.stringify(result)).toEqual([name, undefined, false]);
    }
  }
});
