import { randomBytes } from "node:crypto";
import { bodyOf, JSON_TYPE, listTools, PASSWORD, repeated, type Sent, toolRequest } from "./account.ts";
import type { Owner } from "./flood-account.ts";
import { fresh, LARGE_TEXT, type Parts, TOOLS } from "./flood-operations.ts";

// Requests of the published operations and tools. What nothing else is said of is made from the description: the account's
// own things by the names of parameters, lists as long as they may be, and the example of the body. And requests that only
// somebody sends who wants the service to be busy: bodies that cost the most to read, and the same work for nobody.

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
type Schemas = Record<string, Schema>;
type Parameter = { name: string; in: string; required?: boolean; schema: Schema; example?: unknown };
type Media = { schema: Schema; example?: unknown };

/** An operation; `isOpen`: anybody may ask. */
export type Operation = {
  operationId: string;
  path: string;
  method: string;
  parameters: Parameter[];
  media: ({ type: string } & Media) | undefined;
  isOpen: boolean;
};

export type Description = { operations: Operation[]; schemas: Schemas };

type Described = Pick<Operation, "operationId"> & {
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
};
type Published = { paths: Record<string, Record<string, Described>>; components: { schemas: Schemas } };

/** The description that a copy publishes. */
export async function describe(apiUrl: string): Promise<Description> {
  const { paths, components } = (await (await fetch(`${apiUrl}/openapi.json`)).json()) as Published;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, parameters = [], requestBody }]) => {
      const [media] = Object.entries(requestBody?.content ?? {}).map(([type, of]) => ({ type, ...of }));
      return {
        operationId,
        path,
        method: method.toUpperCase(),
        parameters,
        media,
        isOpen: security?.length === 0,
      };
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

/** The simplest value of a schema. */
function simplest(schema: Schema, schemas: Schemas = {}): unknown {
  const [option] = schema.anyOf ?? schema.oneOf ?? [];
  if (schema.$ref) return simplest(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, schemas);
  if (option) return simplest(option, schemas);
  if (schema.enum) return schema.enum[0];
  const { required = [], properties = {}, items = {}, minimum = 1, minLength = 1, format = "" } = schema;
  const field = (name: string) => [name, simplest(properties[name] ?? {}, schemas)];
  const values: Record<string, () => unknown> = {
    object: () => Object.fromEntries(required.map(field)),
    array: () => [simplest(items, schemas)],
    integer: () => minimum,
    number: () => minimum,
    boolean: () => true,
  };
  return values[[schema.type].flat()[0] ?? ""]?.() ?? FORMATS[format] ?? "x".repeat(minLength);
}

/** Fields of examples that are not what the account would send. */
const OTHERWISE: Record<string, unknown> = {
  ...{ password: PASSWORD, current_password: PASSWORD },
  ...{ code: undefined, current_code: undefined, dry_run: undefined },
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

/** The request of an operation by an account, or by nobody if it is open. */
export function requestOf(operation: Operation, owner: Owner, parts: Parts, { schemas }: Description): Sent {
  const { path, method, parameters, media, isOpen } = operation;
  const usual = ({ name, schema, example }: Parameter) =>
    name === "limit" ? (schema.maximum ?? 100) : (owner.next(name) ?? example ?? simplest(schema));
  const at = (place: string): Record<string, unknown> =>
    Object.fromEntries(
      parameters
        .filter(({ name, in: where, required }) => where === place && (required || name === "limit"))
        .map((one) => [one.name, usual(one)]),
    );
  const params = { ...at("path"), ...parts.params };
  const query = Object.entries({ ...at("query"), ...parts.query }).map(([name, value]) => [
    name,
    String(value),
  ]);
  const example = () => media && withOwn(media.example ?? simplest(media.schema, schemas), owner);
  return {
    url:
      owner.apiUrl +
      path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(params[name]))) +
      (query.length > 0 ? `?${new URLSearchParams(query)}` : ""),
    method,
    headers: {
      ...(!isOpen && owner.headers()),
      ...(media && { "Content-Type": media.type }),
      ...parts.headers,
    },
    ...(media && { body: bodyOf("body" in parts ? parts.body : example()) }),
  };
}

/** The tools that a copy publishes, each with a request that calls it. */
export async function toolsOf({ mcpUrl, mcpToken }: Owner) {
  const tools = await listTools(mcpUrl, mcpToken);
  return tools.map(({ name, inputSchema }) => ({
    name,
    make: (owner: Owner) =>
      toolRequest(owner.mcpUrl, owner.mcpToken, {
        ...{ name, arguments: TOOLS[name]?.(owner) ?? (simplest(inputSchema as Schema) as object) },
      }),
  }));
}

/** `count` at once, if not as usual. */
export type Hostile = { name: string; count?: number; make: (owner: Owner) => Sent };

const DEEP = 300_000;
const LARGE_TOOL_TEXT = "a b ".repeat(225_000);
const brackets = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const manyNames = `{${repeated(80_000, (number) => `"k${number}":1`).join(",")}}`;
const manyFields = repeated(50_000, (number) => `f${number}=1`).join("&");
/** As many fields as the largest body of a stranger has room for. */
const shortFields = "a&".repeat(8000);
const largeDocument = JSON.stringify({ title: "x", content: { format: "markdown", text: LARGE_TOOL_TEXT } });
const LARGE_FILE = Buffer.alloc(20_000_000, "x");

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const post = (url: string, body: string | Buffer, headers = {}): Sent => ({
  ...{ url, method: "POST", headers: { ...JSON_TYPE, ...headers }, body },
});
const api = (name: string, path: string, body: () => string, headers = () => ({})): Hostile => ({
  ...{ name, make: ({ apiUrl }) => post(apiUrl + path, body(), headers()) },
});
const onMcp = (name: string, path: string, body: string, headers = {}): Hostile => ({
  ...{ name, make: ({ mcpUrl }) => post(mcpUrl + path, body, headers) },
});

const secret = () => randomBytes(32).toString("base64url");
let turn = 0;
const nobody = (name: string) => ({ email: `${name}${++turn}@example.com` });
const nobodyWithPassword = (name: string) => JSON.stringify({ ...nobody(name), password: PASSWORD });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const fakeKey = () => bearer(`cpk_1.${++turn}.${secret()}`);
/** A token as ours are, but signed by nobody. */
const fakeToken = () =>
  bearer(`${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ sub: ++turn, exp: 1 })}.${secret()}`);
const fakeGrant = () => `${++turn}:${randomBytes(12).toString("hex")}:${secret()}`;

/** What strangers send. */
export const OF_STRANGERS: Hostile[] = [
  api("login, nested", "/api/auth/login", () => `{"email":${"[".repeat(500_000)}`),
  api("login, many names", "/api/auth/login", () => manyNames),
  api("login of nobody", "/api/auth/login", () => nobodyWithPassword("nobody")),
  api("register, new", "/api/auth/register", () => nobodyWithPassword("somebody")),
  api("password reset, nobody", "/api/auth/password-reset", () => JSON.stringify(nobody("nobody"))),
  api(
    "passkey options, nested",
    "/api/auth/login/passkey/options",
    () => `{"password":${"[".repeat(500_000)}`,
  ),
  api("passkey login, nested", "/api/auth/login/passkey", () => `{"password":${"[".repeat(500_000)}`),
  onMcp("oauth/register, many names", "/oauth/register", manyNames),
  onMcp("oauth/token, many fields", "/oauth/token", manyFields, FORM),
  onMcp("oauth/token, short fields", "/oauth/token", shortFields, FORM),
  onMcp("authorize, many fields", "/authorize", manyFields, FORM),
  api(
    "sign-in, many fields",
    "/sign-in",
    () => manyFields,
    () => FORM,
  ),
  api("createDocument, fake key", "/api/documents", () => largeDocument, fakeKey),
  api("createDocument, fake token", "/api/documents", () => largeDocument, fakeToken),
  {
    name: "MCP, fake token",
    make: ({ mcpUrl }) =>
      toolRequest(mcpUrl, fakeGrant(), {
        name: "create_document",
        arguments: { title: "x", text: LARGE_TOOL_TEXT },
      }),
  },
  {
    name: "uploadFile, fake token, 20 MB",
    make: ({ apiUrl }) =>
      post(`${apiUrl}/api/files`, LARGE_FILE, { ...fakeToken(), "Content-Type": "application/octet-stream" }),
  },
  {
    name: "search, fake key of the account",
    make: ({ apiUrl }) => ({
      ...{ url: `${apiUrl}/api/search?q=%22the%20of%22&limit=100`, headers: bearer(`cpk_1.1.${secret()}`) },
    }),
  },
  { name: "openapi.json", make: ({ apiUrl }) => ({ url: `${apiUrl}/openapi.json` }) },
];

const own = (name: string, path: string, body: () => string, count?: number): Hostile => ({
  ...{ name, make: (owner) => post(owner.apiUrl + path, body(), owner.headers()), ...(count && { count }) },
});
const assistant = (name: string, body: string): Hostile => ({
  name,
  make: (owner) => ({ ...toolRequest(owner.mcpUrl, owner.mcpToken, { name, arguments: {} }), body }),
});
const reading = (name: string, path: (owner: Owner) => string): Hostile => ({
  ...{ name, make: (owner) => ({ url: owner.apiUrl + path(owner), headers: owner.headers() }) },
});
const appending = (name: string, kind: string): Hostile => ({
  ...{ name, count: 20 },
  make: (owner) => {
    const body = JSON.stringify({ operation: "append", text: fresh("Line") });
    return post(`${owner.apiUrl}/api/documents/${owner.next(kind)}/edit`, body, owner.headers());
  },
});

/** What the account sends. */
export const OF_THE_ACCOUNT: Hostile[] = [
  own("createDocument, nested", "/api/documents", () => `{"title":"x","content":${brackets(DEEP)}}`),
  own("createDocument, many names", "/api/documents", () => manyNames),
  assistant("MCP, nested", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${brackets(DEEP)}}`),
  assistant("MCP, many names", manyNames),
  own(
    "createDocument, 800 kB",
    "/api/documents",
    () => JSON.stringify({ title: fresh("Large"), content: { format: "markdown", text: LARGE_TEXT } }),
    20,
  ),
  reading("calendar.ics", (owner) => `/api/dashboard/calendar.ics?token=${owner.next("token")}`),
  appending("20 appends to one document", "document_id"),
  appending("20 appends to several documents", "large_document"),
  reading("getDocument, front matter", (owner) => `/api/documents/${owner.next("with_keys")}`),
  reading("getDocument, tasks", (owner) => `/api/documents/${owner.next("with_tasks")}`),
];
