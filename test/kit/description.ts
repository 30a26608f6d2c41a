import type { RouteConfig } from "@hono/zod-openapi";
import { app } from "../../src/app.ts";
import type { OpenApiOperation as Described, OpenApiSchema } from "../../src/doors/docs/describe.ts";
import { describeApi } from "../../src/doors/docs/openapi.ts";
import type { Parts } from "./client.ts";

// The published description, by operation, each with the route that the kit calls.

export type { OpenApiSchema as Schema };
export type Parameter = NonNullable<Described["parameters"]>[number] & { required?: boolean };
export type Operation = Omit<Described, "parameters"> & {
  summary?: string;
  tags?: string[];
  parameters?: Parameter[];
};
export type Offered = { path: string; method: string; operation: Operation; route: RouteConfig };

const rooms = import.meta.glob<Record<string, unknown>>("../../src/**/*routes.ts", { eager: true });

/** Every route constant by name. */
export const ROUTES = new Map(
  Object.values(rooms)
    .flatMap((room) => Object.entries(room))
    .filter((entry): entry is [string, RouteConfig] => entry[0].endsWith("Route")),
);

export const description = describeApi(app) as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, OpenApiSchema> };
};

export const OPERATIONS: Offered[] = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const route = ROUTES.get(`${operation.operationId}Route`);
    if (!route) throw new Error(`${operation.operationId} has no route constant`);
    return { path, method: method.toUpperCase(), operation, route };
  }),
);

/** The schema itself, resolving a reference. */
export function resolve(schema: OpenApiSchema): OpenApiSchema {
  const found = schema.$ref && description.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
  return found ? resolve(found) : schema;
}

/** The contents of a request: its parameters by name, and its body. */
export type Values = { parameters: [string, unknown][]; body: unknown };

const asText = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** Escapes characters that a header cannot contain. */
const asHeader = (value: unknown) =>
  asText(value)
    .replace(/[^\x20-\x7e]/g, (one) => escape(one))
    .trim();

/** A path has no empty segments, and none that URL normalization removes. */
const asSegment = (value: unknown) =>
  asText(value)
    .replace(/^\.{0,2}$/, "-")
    .toWellFormed();

/** Puts values into the operation's parameters, leaving out undefined ones. */
export function partsOf({ operation }: Offered, { parameters, body }: Values): Parts {
  const places = new Map(operation.parameters?.map(({ name, in: place }) => [name, place]));
  const given = parameters.filter(([, value]) => value !== undefined);
  const at = <Value>(place: string, as: (value: unknown) => Value) =>
    Object.fromEntries(given.filter(([name]) => places.get(name) === place).map(([n, v]) => [n, as(v)]));
  const [type] = Object.keys(operation.requestBody?.content ?? {});
  const headers = { ...at("header", asHeader), ...(type && { "Content-Type": type }) };
  const query = at("query", (value) => (Array.isArray(value) ? value.map(asText) : asText(value)));
  return { params: at("path", asSegment), query, headers, ...(type && { body: bodyOf(type, body) }) };
}

const bodyOf = (type: string, body: unknown) =>
  type === "application/json" ? (JSON.stringify(body) ?? "") : asText(body);
