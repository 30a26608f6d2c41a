import { bytesOf, type Owner, PASSWORD } from "./flood-owner.ts";
import type { Sent } from "./flooding.ts";

// Requests of the published operations. What nothing else is said of is made from the description: the account's own
// things by the names of parameters, lists as long as they may be, and the example of the body.

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  format?: string;
  items?: Schema;
  required?: string[];
  properties?: Record<string, Schema>;
};

type Parameter = { name: string; in: string; required?: boolean; schema: Schema; example?: unknown };
type Media = { schema: Schema; example?: unknown };

export type Operation = {
  operationId: string;
  path: string;
  method: string;
  parameters: Parameter[];
  media?: { type: string } & Media;
  /** Whether anybody may ask. */
  isOpen: boolean;
};

export type Description = { operations: Operation[]; schemas: Schemas };

/** What is said of a request instead of the default. */
export type Parts = {
  params?: Record<string, string | number | undefined>;
  query?: Record<string, string | number | boolean | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
};

type Published = {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        security?: unknown[];
        parameters?: Parameter[];
        requestBody?: { content: Record<string, Media> };
      }
    >
  >;
  components: { schemas: Schemas };
};

/** The description that the service publishes. */
export async function describe(apiUrl: string): Promise<Description> {
  const { paths, components } = (await (await fetch(`${apiUrl}/openapi.json`)).json()) as Published;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, parameters = [], requestBody }]) => {
      const [media] = Object.entries(requestBody?.content ?? {}).map(([type, of]) => ({ type, ...of }));
      const isOpen = security?.length === 0;
      return { operationId, path, method: method.toUpperCase(), parameters, isOpen, ...(media && { media }) };
    }),
  );
  return { operations, schemas: components.schemas };
}

const FORMATS: Record<string, string> = {
  date: "2099-01-02",
  "date-time": "2099-01-02T00:00:00Z",
  email: "flood@example.com",
  uuid: "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42",
  uri: "https://example.com/",
};

type Schemas = Record<string, Schema>;

const simplestObject = ({ required = [], properties = {} }: Schema, schemas: Schemas) =>
  Object.fromEntries(required.map((name) => [name, simplest(properties[name] ?? {}, schemas)]));

function simplestOf(type: string | undefined, schema: Schema, schemas: Schemas): unknown {
  switch (type) {
    case "object":
      return simplestObject(schema, schemas);
    case "array":
      return [simplest(schema.items ?? {}, schemas)];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return FORMATS[schema.format ?? ""] ?? "x".repeat(schema.minLength ?? 1);
  }
}

/** The simplest value of a schema. */
export function simplest(schema: Schema, schemas: Schemas = {}): unknown {
  if (schema.$ref) return simplest(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, schemas);
  const [option] = schema.anyOf ?? schema.oneOf ?? [];
  if (option) return simplest(option, schemas);
  return schema.enum ? schema.enum[0] : simplestOf([schema.type].flat()[0], schema, schemas);
}

/** Fields of examples that are not what the account would send. */
const OTHERWISE: Record<string, unknown> = {
  password: PASSWORD,
  current_password: PASSWORD,
  code: undefined,
  current_code: undefined,
  dry_run: undefined,
};

/** An example that refers to the account's own things. */
function withOwn(example: unknown, owner: Owner): unknown {
  if (Array.isArray(example)) return example.map((item) => withOwn(item, owner));
  if (typeof example !== "object" || example === null) return example;
  const fields = Object.entries(example).map(([name, value]) => {
    if (name in OTHERWISE) return [name, OTHERWISE[name]];
    const kind = name !== "id" ? name : typeof value === "number" ? "memory_id" : "small_document";
    return [name, (value !== null && owner.next(kind)) || withOwn(value, owner)];
  });
  return Object.fromEntries(fields);
}

function usualValue({ name, schema, example }: Parameter, owner: Owner): string | number {
  if (name === "limit") return schema.maximum ?? 100;
  return owner.next(name) ?? ((example ?? simplest(schema)) as string | number);
}

/** The parameters in one place that a request has if nothing else is said. */
const usual = ({ parameters }: Operation, place: string, owner: Owner) =>
  Object.fromEntries(
    parameters
      .filter(({ name, in: where, required }) => where === place && (required || name === "limit"))
      .map((one) => [one.name, usualValue(one, owner)]),
  );

function usualBody({ media }: Operation, owner: Owner, schemas: Schemas): unknown {
  return media && withOwn(media.example ?? simplest(media.schema, schemas), owner);
}

/** The request of an operation by an account, or by nobody if it is open. */
export function requestOf(operation: Operation, owner: Owner, parts: Parts, { schemas }: Description): Sent {
  const params = { ...usual(operation, "path", owner), ...parts.params };
  const query = Object.entries({ ...usual(operation, "query", owner), ...parts.query })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(params[name])));
  const body = "body" in parts ? parts.body : usualBody(operation, owner, schemas);
  const { media } = operation;
  return {
    url: `${owner.apiUrl}${path}${query.length > 0 ? `?${new URLSearchParams(query)}` : ""}`,
    method: operation.method,
    headers: {
      ...(!operation.isOpen && owner.headers()),
      ...(media && { "Content-Type": media.type }),
      ...parts.headers,
    },
    ...(media && body !== undefined && { body: bytesOf(body) }),
  };
}
