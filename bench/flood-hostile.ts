import { randomBytes } from "node:crypto";
import { LARGE_TEXT } from "./flood-operations.ts";
import { type Owner, PASSWORD, repeated } from "./flood-owner.ts";
import type { Sent } from "./flooding.ts";
import { toolRequest } from "./mcp.ts";

// What only somebody sends who wants the service to be busy: bodies that cost the most to read, and the same work for
// nobody again and again.

const NAMES = 80_000;
const FIELDS = 50_000;
const DEEP = 500_000;
const DEEP_CONTENT = 300_000;

export type Hostile = {
  name: string;
  /** How many at once, if not as usual. */
  count?: number;
  make: (owner: Owner, number: number) => Sent;
};

const JSON_TYPE = { "Content-Type": "application/json" };
const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

const deep = (before: string, depth: number) => `${before}${"[".repeat(depth)}`;
const deepEmail = deep('{"email":', DEEP);
const deepPassword = deep('{"password":', DEEP);
const deepDocument = `${deep('{"title":"x","content":', DEEP_CONTENT)}${"]".repeat(DEEP_CONTENT)}}`;
const LARGE_FILE = Buffer.alloc(20_000_000, "x");
const manyNames = `{${repeated(NAMES, (number) => `"k${number}":1`).join(",")}}`;
const manyFields = repeated(FIELDS, (number) => `f${number}=1`).join("&");
/** As many fields as the largest body of a stranger has room for. */
const shortFields = "a&".repeat(8000);
const largeDocument = JSON.stringify({
  title: "x",
  content: { format: "markdown", text: "a b ".repeat(225_000) },
});
const deepCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${"[".repeat(DEEP_CONTENT)}${"]".repeat(DEEP_CONTENT)}}`;
const largeCall = toolRequest("", "create_document", { title: "x", text: "a b ".repeat(225_000) });

const post = (url: string, body: string, headers: Record<string, string> = JSON_TYPE): Sent => ({
  ...{ url, method: "POST", headers, body },
});

let turn = 0;
const nobody = (name: string) =>
  JSON.stringify({ email: `${name}${++turn}@example.com`, password: PASSWORD });

const fakeKey = () => `cpk_1.${++turn}.${randomBytes(32).toString("base64url")}`;
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** A token as ours are, but signed by nobody. */
const fakeToken = () =>
  `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ sub: ++turn, exp: 1 })}.${randomBytes(32).toString("base64url")}`;
const fakeGrant = () =>
  `${++turn}:${randomBytes(12).toString("hex")}:${randomBytes(24).toString("base64url")}`;
const bearer = (token: string) => ({ ...JSON_TYPE, Authorization: `Bearer ${token}` });

/** What strangers send. */
export const OF_STRANGERS: Hostile[] = [
  { name: "login, nested", make: ({ apiUrl }) => post(`${apiUrl}/api/auth/login`, deepEmail) },
  { name: "login, many names", make: ({ apiUrl }) => post(`${apiUrl}/api/auth/login`, manyNames) },
  { name: "login of nobody", make: ({ apiUrl }) => post(`${apiUrl}/api/auth/login`, nobody("nobody")) },
  { name: "register, new", make: ({ apiUrl }) => post(`${apiUrl}/api/auth/register`, nobody("somebody")) },
  {
    name: "password reset, nobody",
    make: ({ apiUrl }) =>
      post(`${apiUrl}/api/auth/password-reset`, nobody("nobody").replace(/,"password".*/, "}")),
  },
  {
    name: "passkey options, nested",
    make: ({ apiUrl }) => post(`${apiUrl}/api/auth/login/passkey/options`, deepPassword),
  },
  {
    name: "passkey login, nested",
    make: ({ apiUrl }) => post(`${apiUrl}/api/auth/login/passkey`, deepPassword),
  },
  { name: "oauth/register, many names", make: ({ mcpUrl }) => post(`${mcpUrl}/oauth/register`, manyNames) },
  {
    name: "oauth/token, many fields",
    make: ({ mcpUrl }) => post(`${mcpUrl}/oauth/token`, manyFields, FORM_TYPE),
  },
  {
    name: "oauth/token, short fields",
    make: ({ mcpUrl }) => post(`${mcpUrl}/oauth/token`, shortFields, FORM_TYPE),
  },
  {
    name: "authorize, many fields",
    make: ({ mcpUrl }) => post(`${mcpUrl}/authorize`, manyFields, FORM_TYPE),
  },
  { name: "sign-in, many fields", make: ({ apiUrl }) => post(`${apiUrl}/sign-in`, manyFields, FORM_TYPE) },
  {
    name: "createDocument, fake key",
    make: ({ apiUrl }) => post(`${apiUrl}/api/documents`, largeDocument, bearer(fakeKey())),
  },
  {
    name: "createDocument, fake token",
    make: ({ apiUrl }) => post(`${apiUrl}/api/documents`, largeDocument, bearer(fakeToken())),
  },
  {
    name: "MCP, fake token",
    make: ({ mcpUrl }) =>
      post(`${mcpUrl}/mcp`, largeCall.body, { ...largeCall.headers, ...bearer(fakeGrant()) }),
  },
  {
    name: "uploadFile, fake token, 20 MB",
    make: ({ apiUrl }) => ({
      ...{ url: `${apiUrl}/api/files`, method: "POST", body: LARGE_FILE },
      headers: { ...bearer(fakeToken()), "Content-Type": "application/octet-stream" },
    }),
  },
  {
    name: "search, fake key of the account",
    make: ({ apiUrl }) => ({
      ...{ url: `${apiUrl}/api/search?q=%22the%20of%22&limit=100`, method: "GET" },
      headers: bearer(`cpk_1.1.${randomBytes(32).toString("base64url")}`),
    }),
  },
  {
    name: "openapi.json",
    make: ({ apiUrl }) => ({ url: `${apiUrl}/openapi.json`, method: "GET", headers: {} }),
  },
];

const edit = (owner: Owner, kind: string): Sent => {
  const path = `/api/documents/${owner.next(kind)}/edit`;
  const body = JSON.stringify({ operation: "append", text: `Line ${++turn}` });
  return post(`${owner.apiUrl}${path}`, body, { ...JSON_TYPE, ...owner.headers() });
};

const ofAccount = (path: string, body: string) => (owner: Owner) =>
  post(`${owner.apiUrl}${path}`, body, { ...JSON_TYPE, ...owner.headers() });

const ofAssistant = (body: string) => (owner: Owner) =>
  post(`${owner.mcpUrl}/mcp`, body, { ...largeCall.headers, ...owner.headers() });

const reading = (owner: Owner, path: string): Sent => ({
  ...{ url: `${owner.apiUrl}${path}`, method: "GET", headers: owner.headers() },
});

/** What the account sends. */
export const OF_THE_ACCOUNT: Hostile[] = [
  { name: "createDocument, nested", make: ofAccount("/api/documents", deepDocument) },
  { name: "createDocument, many names", make: ofAccount("/api/documents", manyNames) },
  { name: "MCP, nested", make: ofAssistant(deepCall) },
  { name: "MCP, many names", make: ofAssistant(manyNames) },
  {
    name: "createDocument, 800 kB",
    count: 20,
    make: (owner) =>
      ofAccount(
        "/api/documents",
        JSON.stringify({ title: `Large ${++turn}`, content: { format: "markdown", text: LARGE_TEXT } }),
      )(owner),
  },
  {
    name: "calendar.ics",
    make: (owner) => reading(owner, `/api/dashboard/calendar.ics?token=${owner.next("token")}`),
  },
  { name: "20 appends to one document", count: 20, make: (owner) => edit(owner, "document_id") },
  { name: "20 appends to several documents", count: 20, make: (owner) => edit(owner, "large_document") },
  {
    name: "getDocument, front matter",
    make: (owner) => reading(owner, `/api/documents/${owner.next("with_keys")}`),
  },
  {
    name: "getDocument, tasks",
    make: (owner) => reading(owner, `/api/documents/${owner.next("with_tasks")}`),
  },
];
