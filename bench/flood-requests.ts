import { randomBytes } from "node:crypto";
import {
  bodyOf,
  type Headers,
  JSON_TYPE,
  listTools,
  PASSWORD,
  repeated,
  type Sent,
  toolRequest,
} from "./account.ts";
import { markdown, type Owner, UPLOAD_BYTES } from "./flood-account.ts";
import { frequentWords, makeLongText, makeText } from "./texts.ts";

// Requests for the published operations and tools. By default they are derived from the description: the account's own ids
// by the names of parameters, the maximum `limit`, and the example of the body. Also requests of attackers, whose bodies are
// expensive to read or whose credentials are forged.

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

/** An operation; `isOpen`: it needs no credential. */
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

/** Reads the OpenAPI description of a copy. */
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

/** A minimal value of a schema. */
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

/** Values that replace those of the examples. */
const OTHERWISE: Record<string, unknown> = {
  ...{ password: PASSWORD, current_password: PASSWORD },
  ...{ code: undefined, current_code: undefined, dry_run: undefined },
};

/** An example with the account's own ids. */
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

/** The request for an operation, without a credential if it is open. */
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

/** The published tools, each with its request. */
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

/** `count` overrides the number of concurrent requests. */
type Hostile = { name: string; count?: number; make: (owner: Owner) => Sent };

const DEEP = 300_000;
const LARGE_TOOL_TEXT = "a b ".repeat(225_000);
const brackets = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const manyNames = `{${repeated(80_000, (number) => `"k${number}":1`).join(",")}}`;
const manyFields = repeated(50_000, (number) => `f${number}=1`).join("&");
/** As many fields as fit into the largest body without a credential. */
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
const nobody = (name: string) => ({ email: `${name}${++turn}@example.com` });
const nobodyWithPassword = (name: string) => JSON.stringify({ ...nobody(name), password: PASSWORD });
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const fakeKey = () => bearer(`cpk_1.${++turn}.${secret()}`);
/** A token in our format without a valid signature. */
const fakeToken = () =>
  bearer(`${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ sub: ++turn, exp: 1 })}.${secret()}`);
const fakeGrant = () => `${++turn}:${randomBytes(12).toString("hex")}:${secret()}`;

/** Sent without an account. */
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

/** Sent by the account. */
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

// Requests for operations and tools whose examples would not do the real work: with a large text, with another object each
// time, or in a certain order.

/** The parts of a request that differ from the default. */
type Parts = {
  params?: Record<string, string | number | undefined>;
  query?: Record<string, string | number | boolean>;
  headers?: Headers;
  body?: unknown;
};

type Ids = {
  items: { id: string | number; current?: boolean; status?: string }[];
  next_cursor?: string | null;
};

let turn = 0;
/** An unused name. */
const fresh = (name: string) => `${name} ${++turn}`;

const LARGE_TEXT = makeLongText(77, 800_000);
const MEDIUM_TEXT = LARGE_TEXT.slice(0, 90_000);
const RECORD_TEXT = LARGE_TEXT.slice(0, 19_900);
const PHRASE = `"${frequentWords(9)}"`;
const FILE = makeText(UPLOAD_BYTES).padEnd(UPLOAD_BYTES).slice(0, UPLOAD_BYTES);
const WEBP = Buffer.from("RIFF\0\0\0\0WEBPVP8 ");

const nextOf = (owner: Owner, kind: string, count: number) => repeated(count, () => owner.next(kind) ?? "");

/** The kinds of ids that parameters take, where they differ from the parameter's name. */
const KINDS: Record<string, Record<string, string>> = {
  ...{ listDeliveries: { webhook_id: "tested_webhook" }, replayDelivery: { webhook_id: "tested_webhook" } },
  ...{
    deleteDocument: { document_id: "small_document" },
    restoreDocument: { document_id: "trashed_document" },
  },
  ...{ getVersion: { document_id: "with_versions" }, restoreVersion: { document_id: "with_versions" } },
  ...{ listDocumentTasks: { document_id: "with_tasks" }, changeDocumentTask: { document_id: "with_tasks" } },
  ...{ renameTag: { name: "tag" }, deleteTag: { name: "tag" }, renameProject: { name: "project" } },
  ...{ completeUpload: { upload_id: "full_upload" }, abortUpload: { upload_id: "full_upload" } },
  ...{ restoreFile: { file_id: "trashed_file" }, restoreMemory: { memory_id: "trashed_record" } },
  ...{ skipMemory: { memory_id: "repeating_record" }, reopenMemory: { memory_id: "resolved_record" } },
  ...{
    getMemoryVersion: { memory_id: "versioned_record" },
    eraseMemoryVersion: { memory_id: "versioned_record" },
  },
  restoreMemoryVersion: { memory_id: "versioned_record" },
};

const QUERIES: Record<string, NonNullable<Parts["query"]>> = {
  getHealth: { deep: "true" },
  deleteFolder: { on_content: "trash" },
  importAccount: { mode: "copy" },
  search: { q: PHRASE, type: "all" },
  suggest: { q: PHRASE.slice(1, 4) },
  listTrash: { type: "all" },
  emptyTrash: { type: "all" },
  listMemories: { content_length: 20_000 },
};

const hook = (owner: Owner) => ({
  ...{ name: fresh("Hook"), url: owner.next("webhook_url"), events: ["memory.erased"] },
});
const newEmail = () => `${fresh("new").replace(" ", "")}@example.com`;
const changed = (owner: Owner, kind: string, fields: object) =>
  nextOf(owner, kind, 100).map((id) => ({ operation: "update", id, ...fields }));

/** A push subscription with the keys of RFC 8291. */
const subscription = () => ({
  endpoint: `https://push.example.com/send/${++turn}`,
  keys: {
    p256dh: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
    auth: "tBHItJI5svbpez7KI4CCXg",
  },
});

const BODIES: Record<string, (owner: Owner, number: number) => unknown> = {
  register: () => ({ email: newEmail(), password: PASSWORD }),
  login: ({ email }) => ({ email, password: PASSWORD }),
  refresh: (owner) => ({ refresh_token: owner.next("refresh_token") }),
  logout: (owner) => ({ refresh_token: owner.next("refresh_token") }),
  resetPassword: ({ email }) => ({ email }),
  changePassword: () => ({ current_password: PASSWORD, new_password: `${PASSWORD}, another` }),
  changeEmail: () => ({ email: newEmail(), password: PASSWORD }),
  subscribeToPush: subscription,
  createWebhook: hook,
  updateWebhook: hook,
  createDocument: () => ({ title: fresh("New"), content: markdown(MEDIUM_TEXT) }),
  bulkDocuments: (owner) => ({ operations: changed(owner, "small_document", { title: fresh("Changed") }) }),
  updateDocument: (_, number) => ({ content: markdown(`${number} ${LARGE_TEXT}`) }),
  editDocument: () => ({ operation: "append", text: fresh("Line") }),
  createFolder: () => ({ name: fresh("New") }),
  updateFolder: () => ({ name: fresh("Renamed") }),
  importAccount: () => exported,
  renameTag: () => ({ name: fresh("renamed") }),
  renameProject: () => ({ name: fresh("Renamed") }),
  beginUpload: () => ({ name: fresh("Upload"), bytes: UPLOAD_BYTES }),
  storePart: () => FILE,
  uploadFile: () => `${++turn} ${FILE}`,
  replaceFile: (owner) => ({ by: owner.next("file_id") }),
  storeThumbnail: () => WEBP,
  createMemory: () => ({
    ...{ memory_type: "commitment", topic: fresh("Topic"), content: RECORD_TEXT, due_date: "2099-01-02" },
  }),
  changeMemories: (owner) => ({ operations: changed(owner, "memory_id", { content: fresh("Changed") }) }),
  updateMemory: () => ({ content: `${fresh("Changed")} ${RECORD_TEXT}` }),
  undoActivity: (owner) => ({ ids: nextOf(owner, "change", 5) }),
};

/** The export of a small account. */
let exported = "";
export function keepExport(text: string): void {
  exported = text;
}
/** Its two halves, split at a line, because an import stores only whole lines. */
const halves = () => {
  const middle = exported.lastIndexOf("\n", exported.length / 2) + 1;
  return [exported.slice(0, middle), exported.slice(middle)] as const;
};

let begun = "";
const begunImport = (): Parts => ({ params: { import_id: begun } });

const OTHERS: Record<string, (owner: Owner, number: number) => Parts> = {
  eraseVersion: (_, number) => ({ params: { version: number + 2 } }),
  changeDocumentTask: (_, number) => ({ params: { number: number + 1 } }),
  restoreMemoryVersion: () => ({ params: { version: 2 } }),
  uploadFile: () => ({ headers: { "Content-Disposition": `attachment; filename="${fresh("file")}.txt"` } }),
  getImport: begunImport,
  deleteImport: begunImport,
  continueImport: () => {
    const [half, rest] = halves();
    const [from, whole] = [Buffer.byteLength(half), Buffer.byteLength(exported)];
    const range = `bytes ${from}-${whole - 1}/${whole}`;
    return { ...begunImport(), headers: { "Content-Range": range }, body: rest };
  },
};

/** The parts of an operation's request with this number. */
export function partsOf(operation: string, owner: Owner, number: number): Parts {
  const kinds = Object.entries(KINDS[operation] ?? {}).map(([name, kind]) => [name, owner.next(kind)]);
  const body = BODIES[operation];
  const { params, ...others } = OTHERS[operation]?.(owner, number) ?? {};
  const query = QUERIES[operation];
  return {
    ...(query && { query }),
    ...(body && { body: body(owner, number) }),
    ...{ params: { ...Object.fromEntries(kinds), ...params }, ...others },
  };
}

type Prepare = (owner: Owner) => Promise<void>;

/** Adds the ids of a list. */
const listed =
  (kind: string, path: string): Prepare =>
  async (owner) => {
    const { items } = await owner.ask<Ids>("GET", path);
    owner.add(
      kind,
      items.filter(({ current }) => !current).map(({ id }) => id),
    );
  };

/** Adds activity entries that can be undone. */
async function addChanges(owner: Owner): Promise<void> {
  for (let page = 0, cursor = ""; page < 6; page++) {
    const path = `/api/activity?kind=memory&verb=created&limit=100${cursor && `&cursor=${cursor}`}`;
    const { items, next_cursor } = await owner.ask<Ids>("GET", path);
    owner.add(
      "change",
      items.map(({ id }) => id),
    );
    if (!next_cursor) return;
    cursor = encodeURIComponent(next_cursor);
  }
}

/** Starts an import after cancelling earlier ones, because an account may have two at most. */
async function beginImport(owner: Owner): Promise<void> {
  const { items } = await owner.ask<Ids>("GET", "/api/import?limit=100");
  for (const { id } of items.filter(({ status }) => status === "uploading"))
    await owner.send("DELETE", `/api/import/${id}`);
  const [half] = halves();
  const range = `bytes 0-${Buffer.byteLength(half) - 1}/${Buffer.byteLength(exported)}`;
  const headers = { "Content-Type": "application/x-ndjson", "Content-Range": range };
  begun = (await owner.ask<{ id: string }>("POST", "/api/import", half, headers)).id;
}

/** Adds records with three versions. */
async function addVersioned(owner: Owner): Promise<void> {
  const ids = nextOf(owner, "memory_id", 100);
  for (const content of ["Second", "Third"])
    await owner.send("POST", "/api/memories/bulk", {
      operations: ids.map((id) => ({ operation: "update", id, content })),
    });
  owner.add("versioned_record", ids);
}

/** Cancels all uploads, because an account may have 50 at most. */
async function endUploads(owner: Owner): Promise<void> {
  const { items } = await owner.ask<Ids>("GET", "/api/files/uploads");
  for (const { id } of items) await owner.send("DELETE", `/api/files/${id}/parts`);
}

/** Adds uploads that have all their bytes but are not completed. */
async function addUploads(owner: Owner): Promise<void> {
  await endUploads(owner);
  for (const name of repeated(20, (number) => `Upload ${number}`)) {
    const { id } = await owner.ask<{ id: string }>("POST", "/api/files/uploads", {
      name,
      bytes: UPLOAD_BYTES,
    });
    await owner.send("PUT", `/api/files/${id}/parts/1`, FILE, { "Content-Type": "application/octet-stream" });
    owner.add("full_upload", [id]);
  }
}

const addThumbnail: Prepare = async (owner) =>
  void (await owner.send("PUT", `/api/files/${owner.next("file_id")}/thumbnails/320`, WEBP, {
    "Content-Type": "image/webp",
  }));

/** Creates what a flood needs and earlier ones may have used up. */
export const PREPARED: Record<string, Prepare> = {
  revokeSession: listed("session_id", "/api/auth/sessions?limit=100"),
  revokeApiKey: listed("api_key_id", "/api/api-keys?limit=100"),
  unsubscribeFromPush: listed("subscription_id", "/api/push"),
  getJob: listed("job_id", "/api/jobs?limit=100"),
  cancelJob: listed("job_id", "/api/jobs?limit=100"),
  ...{ getImport: beginImport, continueImport: beginImport, deleteImport: beginImport },
  ...{ completeUpload: addUploads, abortUpload: addUploads, uploadFile: endUploads },
  ...{ readThumbnail: addThumbnail, getMemoryVersion: addVersioned, undoActivity: addChanges },
};

/** Sent after the others, because they delete what those need. */
export const LATE = new Set([
  ...["revokeSession", "revokeCalendarToken", "createCalendarToken", "createWebhook", "deleteWebhook"],
  ...["deleteFolder", "emptyTrash", "reindex", "completeUpload", "abortUpload", "deleteFile"],
]);

/** Sent last and by a separate account, because they end a session, an account or a credential. */
export const FINAL = new Set([
  ...["logoutAll", "deleteMe", "changePassword", "changeEmail", "startSecondFactor"],
  ...["confirmSecondFactor", "removeSecondFactor", "renewRecoveryCodes"],
]);

/** The largest requests, of which fewer are sent. */
export const FEWER = new Set(["bulkDocuments", "changeMemories"]);

const named = (prefix: string, ids: (string | number)[]) => ids.map((id) => `${prefix}:${id}`);

/** The arguments of tools for which minimal ones would not do the real work. */
export const TOOLS: Record<string, (owner: Owner) => object> = {
  search: () => ({ query: PHRASE }),
  fetch: (owner) => ({ id: `doc:${owner.next("document_id")}` }),
  list_documents: () => ({ limit: 50 }),
  create_document: () => ({ title: fresh("From a tool"), text: MEDIUM_TEXT }),
  edit_document: (owner) => ({
    ...{ ids: [`doc:${owner.next("document_id")}`], operation: "append", text: fresh("Line") },
  }),
  delete_document: (owner) => ({ ids: named("doc", nextOf(owner, "small_document", 1)) }),
  list_trash: () => ({ limit: 100 }),
  list_versions: (owner) => ({ id: `doc:${owner.next("document_id")}` }),
  restore: (owner) => ({ id: `doc:${owner.next("with_versions")}`, version: 1 }),
  list_changes: () => ({ since: "2026-01-01", limit: 100 }),
  remember: () => ({ memory_type: "decision", topic: fresh("Topic"), content: RECORD_TEXT }),
  update_memory: (owner) => ({
    ...{ ids: named("mem", nextOf(owner, "memory_id", 20)), priority: "high", add_tags: [fresh("tag")] },
  }),
  close_memories: (owner) => ({ ids: named("mem", nextOf(owner, "memory_id", 20)), outcome: "resolved" }),
  list_memories: () => ({ view: "all", limit: 100 }),
};

/** The names of all operations in these tables, to find those that are no longer published. */
export const SAID_OF = [KINDS, QUERIES, BODIES, OTHERS, PREPARED]
  .flatMap(Object.keys)
  .concat(...LATE, ...FINAL);
