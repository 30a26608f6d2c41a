import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { makeDocument } from "./texts.ts";

// An account on a copy of the service, and its requests. They are not sent with fetch, which uses more of the processor
// that the service needs.

export const PASSWORD = "a password for the bench";

/** Access tokens expire after 15 minutes. */
const RENEWED_AFTER_MS = 480_000;
/** Shorter than the service's timeout: a request sent while the service closes the connection would be lost. */
const IDLE_MS = 60_000;
const kept = new Agent({ keepAlive: true, timeout: IDLE_MS });

export type Headers = Record<string, string>;
export type Sent = {
  url: string;
  method?: string;
  headers?: Headers;
  body?: string | Buffer | Readable | undefined;
};
export type Answer = { status: number; headers: NodeJS.Dict<string | string[]>; text: string };
export type Transport = { agent?: Agent; signal?: AbortSignal; ignoresBody?: boolean };

/** Sends a request and reads its answer to the end. */
export function exchange(
  { url, method = "GET", headers = {}, body }: Sent,
  how: Transport = {},
): Promise<Answer> {
  const { agent = kept, signal, ignoresBody = false } = how;
  // Node does not send this header with a DELETE.
  const isWhole = typeof body === "string" || Buffer.isBuffer(body);
  const length = isWhole ? { "Content-Length": Buffer.byteLength(body) } : {};
  return new Promise((done, failed) => {
    const sent = request(
      url,
      { method, headers: { ...headers, ...length }, agent, ...(signal && { signal }) },
      async (answer) => {
        const read = ignoresBody ? once(answer.resume(), "end").then(() => "") : text(answer);
        read.then(
          (body) => done({ status: answer.statusCode ?? 0, headers: answer.headers, text: body }),
          failed,
        );
      },
    );
    sent.on("error", failed);
    if (body instanceof Readable) pipeline(body, sent).catch(failed);
    else sent.end(body);
  });
}

/** An answer with a status from 400 to 499, so that nothing was changed. */
export class Refused extends Error {}

/** Whether an MCP answer is an error. */
export const isRefusal = (answer: string) => /"isError":true|"error":\{/.test(answer);

/** Sends a request. Throws unless it succeeds. */
export async function send(sent: Sent): Promise<Answer> {
  const answer = await exchange(sent);
  const isTool = sent.url.endsWith("/mcp");
  if (answer.status >= 200 && answer.status < 400 && !(isTool && isRefusal(answer.text))) return answer;
  const Problem = answer.status >= 400 && answer.status < 500 ? Refused : Error;
  const { method = "GET", url } = sent;
  throw new Problem(`${method} ${url.split("?")[0]}: ${answer.status} ${answer.text.slice(0, 300)}`);
}

export const JSON_TYPE = { "Content-Type": "application/json" };
const post = (url: string, body: object, headers: Headers = {}): Sent => ({
  ...{ url, method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) },
});

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";

export type ToolCall = { name: string; arguments: object };

const ACCEPT = { ...JSON_TYPE, Accept: "application/json, text/event-stream" };

const message = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** An MCP request of the newer generation, without a session. */
function statelessRequest(mcpUrl: string, token: string, method: string, params: object): Sent {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    ...{ url: `${mcpUrl}/mcp`, method: "POST", body: message(method, { ...params, _meta: meta }) },
    headers: {
      ...{
        ...ACCEPT,
        Authorization: `Bearer ${token}`,
        "MCP-Protocol-Version": MODERN,
        "Mcp-Method": method,
      },
      ...("name" in params && { "Mcp-Name": String(params.name) }),
    },
  };
}

export const toolRequest = (mcpUrl: string, token: string, call: ToolCall): Sent =>
  statelessRequest(mcpUrl, token, "tools/call", call);

export async function listTools(
  mcpUrl: string,
  token: string,
): Promise<{ name: string; inputSchema: object }[]> {
  const { text: answer } = await send(statelessRequest(mcpUrl, token, "tools/list", {}));
  return JSON.parse(answer).result.tools;
}

/** Opens an MCP session of the older generation. Returns its id. */
export async function openSession({ mcpUrl, mcpToken }: Account): Promise<string> {
  const { headers } = await send({
    ...{ url: `${mcpUrl}/mcp`, method: "POST", headers: { ...ACCEPT, Authorization: `Bearer ${mcpToken}` } },
    body: message("initialize", {
      ...{ protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "bench", version: "1" } },
    }),
  });
  return String(headers["mcp-session-id"]);
}

/** One for each concurrent request. */
const SESSIONS = 5;

/** Calls a tool in one of the account's sessions. */
export async function callInSession(account: Account, call: ToolCall): Promise<string> {
  const { mcpUrl, mcpToken, sessions } = account;
  if (sessions.length === 0) sessions.push(...repeated(SESSIONS, () => openSession(account)));
  const all = await Promise.all(sessions);
  const headers = {
    ...{ ...ACCEPT, Authorization: `Bearer ${mcpToken}` },
    ...{ "Mcp-Session-Id": all[account.turn++ % SESSIONS] ?? "", "MCP-Protocol-Version": LEGACY },
  };
  const body = message("tools/call", call);
  return (await send({ url: `${mcpUrl}/mcp`, method: "POST", headers, body })).text;
}

const REDIRECT = "http://127.0.0.1:9/callback";

/** Registers an MCP client and approves it on the consent page with the account's session. Returns its token. */
export async function grantToken({ apiUrl, mcpUrl, email }: Account): Promise<string> {
  const login = { email, password: PASSWORD, session: "cookie" };
  const own = { "X-Requested-With": "commonplace", "Sec-Fetch-Site": "same-origin" };
  const { headers } = await send(post(`${apiUrl}/api/auth/login`, login, { ...own, Origin: apiUrl }));
  const Cookie = [headers["set-cookie"] ?? []]
    .flat()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
  const client = { client_name: "Bench", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" };
  const { client_id } = JSON.parse((await send(post(`${mcpUrl}/oauth/register`, client))).text);
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id, redirect_uri: REDIRECT, code_challenge_method: "S256" },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  });
  const page = await send({ url: `${mcpUrl}/authorize?${query}`, headers: { Cookie } });
  const cookies = [page.headers["set-cookie"] ?? []].flat().map((cookie) => cookie.split(";")[0]);
  const form = /<form[\s\S]*?<\/form>/.exec(page.text)?.[0] ?? "";
  const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  const fields = (form.match(/<input[^>]*>/g) ?? [])
    .filter((tag) => ["hidden", "checkbox"].includes(attribute(tag, "type")))
    .map((tag) => [attribute(tag, "name"), attribute(tag, "value")]);
  const allowed = await send({
    url: new URL(attribute(form, "action").replaceAll("&amp;", "&"), `${mcpUrl}/authorize?${query}`).href,
    method: "POST",
    headers: {
      ...{ "Content-Type": "application/x-www-form-urlencoded", Origin: mcpUrl },
      Cookie: [Cookie, ...cookies].join("; "),
    },
    body: String(new URLSearchParams([...fields, ["decision", "allow"]])),
  });
  const code = new URL(String(allowed.headers.location)).searchParams.get("code") ?? "";
  const given = {
    ...{ grant_type: "authorization_code", client_id, code, redirect_uri: REDIRECT, code_verifier: verifier },
  };
  const answer = await send({
    ...{ url: `${mcpUrl}/oauth/token`, method: "POST", body: String(new URLSearchParams(given)) },
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });
  return JSON.parse(answer.text).access_token;
}

/** A document or record, and its version after the last acknowledged change. */
export type Kept<Id> = { id: Id; version: number };

export type Urls = { apiUrl: string; mcpUrl: string };

/** An account with its documents and records. One that is being changed is removed until the answer arrives. */
export type Account = Urls & {
  email: string;
  /** The credential for MCP: an API key, or the token of a grant. */
  mcpToken: string;
  sessions: Promise<string>[];
  documents: Kept<string>[];
  /** UUIDs of documents, numbers of records. */
  trashed: (string | number)[];
  records: Kept<number>[];
  resolved: Kept<number>[];
  /** A counter that is increased for each request. */
  turn: number;
  headers: () => Headers;
  /** Renews the tokens if they expire soon. */
  renew: () => Promise<void>;
  signIn: () => Promise<void>;
  /** Returns the text of the answer. Throws unless the request succeeds. Objects are sent as JSON. */
  send: (method: string, path: string, body?: unknown, headers?: Headers) => Promise<string>;
  /** Returns the parsed JSON of the answer. */
  ask: <Result>(method: string, path: string, body?: unknown, headers?: Headers) => Promise<Result>;
};

const isRaw = (body: unknown): body is string | Buffer | Readable | undefined =>
  typeof body === "string" || Buffer.isBuffer(body) || body instanceof Readable || body === undefined;

/** Texts, bytes and streams are sent as they are, everything else as JSON. */
export const bodyOf = (body: unknown): Sent["body"] => (isRaw(body) ? body : JSON.stringify(body));

/** Registers `${name}@example.com`. */
export async function newAccount({ apiUrl, mcpUrl }: Urls, name: string): Promise<Account> {
  const email = `${name.toLowerCase()}@example.com`;
  let tokens = { access_token: "", refresh_token: "" };
  let since = 0;
  let renewing: Promise<void> | undefined;
  const take = async (path: string, body: object) => {
    tokens = JSON.parse((await send(post(account.apiUrl + path, body))).text);
    since = performance.now();
  };
  const account: Account = {
    ...{ apiUrl, mcpUrl, email, mcpToken: "", sessions: [], turn: 0 },
    ...{ documents: [], trashed: [], records: [], resolved: [] },
    headers: () => ({ Authorization: `Bearer ${tokens.access_token}` }),
    renew: async () => {
      if (performance.now() - since > RENEWED_AFTER_MS)
        renewing ??= take("/api/auth/refresh", { refresh_token: tokens.refresh_token }).finally(() => {
          renewing = undefined;
        });
      await renewing;
    },
    signIn: () => take("/api/auth/login", { email, password: PASSWORD }),
    send: async (method, path, body, headers) => {
      await account.renew();
      const all = { ...JSON_TYPE, ...account.headers(), ...headers };
      return (await send({ url: account.apiUrl + path, method, headers: all, body: bodyOf(body) })).text;
    },
    ask: async (...request) => JSON.parse((await account.send(...request)) || "null"),
  };
  await take("/api/auth/register", { email, password: PASSWORD });
  const key = { name: "Bench", scopes: ["docs:read", "docs:write", "memory:read", "memory:write"] };
  account.mcpToken = (await account.ask<{ key: string }>("POST", "/api/api-keys", key)).key;
  return account;
}

/** Signs the account in at other addresses. */
export async function moveTo(account: Account, urls: Urls): Promise<void> {
  Object.assign(account, urls, { sessions: [] });
  await account.signIn();
}

/** Imports a file, and waits until the import has ended. */
export async function importFile(account: Account, file: string | Readable): Promise<void> {
  const type = { "Content-Type": "application/x-ndjson" };
  let state = await account.ask<{ id: string; status: string }>("POST", "/api/import", file, type);
  while (state.status !== "done") {
    if (state.status === "failed") throw new Error(`import: ${JSON.stringify(state)}`);
    await sleep(250);
    state = await account.ask("GET", `/api/import/${state.id}`);
  }
}

/** Calls `work` for all items, `atOnce` at a time. */
export async function each<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
  atOnce = 10,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += atOnce)
    results.push(...(await Promise.all(items.slice(start, start + atOnce).map(work))));
  return results;
}

export const repeated = <Item>(count: number, make: (number: number) => Item): Item[] =>
  Array.from({ length: count }, (_, number) => make(number));

export function documentOf(number: number) {
  const { title, tags, text: content } = makeDocument(number);
  return { title, tags, content: { format: "markdown", text: content } };
}

export const recordOf = (number: number) => ({
  ...{ memory_type: "commitment", topic: `Record ${number}`, content: "Promised" },
});

type Bulk<Id> = { results: { ok: boolean; id: Id; detail?: string }[] };
const AT_ONCE = 100;

/** Sends operations on documents or records in bulk. Returns the ids. */
export async function inBulk<Id>(
  account: Account,
  kind: "documents" | "memories",
  operations: object[],
): Promise<Id[]> {
  const ids: Id[] = [];
  for (let start = 0; start < operations.length; start += AT_ONCE) {
    const body = { operations: operations.slice(start, start + AT_ONCE) };
    const { results } = await account.ask<Bulk<Id>>("POST", `/api/${kind}/bulk`, body);
    const refused = results.find(({ ok }) => !ok);
    if (refused) throw new Error(`${kind}: ${refused.detail}`);
    ids.push(...results.map(({ id }) => id));
  }
  return ids;
}

/** Creates documents or records. Returns their ids. */
export const createMany = <Id>(
  account: Account,
  kind: "documents" | "memories",
  items: object[],
): Promise<Id[]> =>
  inBulk(
    account,
    kind,
    items.map((item) => ({ operation: "create", ...item })),
  );

/** Creates generated documents and records. */
export async function fill(account: Account, { documents, records }: { documents: number; records: number }) {
  const asNew = <Id>(ids: Id[]) => ids.map((id): Kept<Id> => ({ id, version: 1 }));
  const texts = repeated(documents, documentOf);
  account.documents.push(...asNew(await createMany<string>(account, "documents", texts)));
  account.records.push(...asNew(await createMany<number>(account, "memories", repeated(records, recordOf))));
}
