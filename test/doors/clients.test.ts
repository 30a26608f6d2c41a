import { expect, test } from "vitest";
import type { Env } from "../../src/env.ts";
import { BASE, type Client, person, visitor } from "../kit/client.ts";
import { ConfiguredClient } from "../kit/database.ts";
import { ask, initialize, post, type RpcAnswer } from "../kit/mcp.ts";
import { authorize, bearer, connect, exchange, RESOURCE, registerClient } from "../kit/oauth.ts";

// The forms in which clients ask, by the client that each stands for. A client that is refused for its form never
// connects, without telling why.

const ADA = "ada@example.com";
const INSPECTOR = "http://localhost:6274";
const METADATA = "/.well-known/oauth-protected-resource";
const ALL = "application/json, text/event-stream";
const PROGRAM = { name: "c", version: "1" };
const INITIALIZE = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: PROGRAM },
};

const fetchRpc = (client: Client, message: object, headers: Record<string, string>, path = "/mcp") =>
  client.fetch(path, {
    method: "POST",
    body: JSON.stringify(message),
    headers: { "Content-Type": "application/json", ...headers },
  });

const json = async (path: string) => (await visitor().fetch(path)).json() as Promise<Record<string, unknown>>;

test("a client that was given the address with a slash finds metadata of that very address (RFC 9728 section 3.3), one that knows the root only finds it there", async () => {
  const refused = await visitor().fetch("/mcp/", { method: "POST" });
  expect(refused.status).toBe(401);
  const challenge = refused.headers.get("WWW-Authenticate") ?? "";
  const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  expect(metadata).toBe(`${BASE}${METADATA}/mcp/`);
  expect(await json(metadata)).toMatchObject({ resource: `${RESOURCE}/`, authorization_servers: [BASE] });
  expect(await json(METADATA)).toMatchObject({ resource: RESOURCE });
});

test.for([
  ["the resource", RESOURCE],
  ["the resource with a slash", `${RESOURCE}/`],
  ["the resource in capitals", "HTTPS://Commonplace.test/mcp/"],
  ["no resource", undefined],
])("clients up to SDK v1.17 name %s, and call /mcp with or without a slash", async ([, resource]) => {
  await person({ email: ADA });
  const { client_id } = await registerClient();
  const fields = { resource };
  const tokens = await exchange(client_id, await authorize(ADA, client_id, { fields }), fields);
  for (const path of ["/mcp", "/mcp/"]) {
    const begun = await fetchRpc(bearer(tokens.access_token), INITIALIZE, { Accept: ALL }, path);
    expect(begun.status, path).toBe(200);
  }
});

/** A page may read every header that a client needs to continue, and cookies are never allowed. */
function expectReadable(answer: { headers: Headers }): void {
  expect(answer.headers.get("Access-Control-Allow-Origin")).toBe(INSPECTOR);
  expect(answer.headers.get("Vary")).toMatch(/\bOrigin\b/i);
  const exposed = answer.headers.get("Access-Control-Expose-Headers")?.toLowerCase() ?? "";
  for (const name of ["www-authenticate", "mcp-session-id", "retry-after", "error-code"])
    expect(exposed.split(/,\s*/)).toContain(name);
  expect(answer.headers.has("Access-Control-Allow-Credentials")).toBe(false);
}

type Asked = {
  path: string;
  init?: RequestInit & { headers?: Record<string, string> };
  as?: "nobody";
  settings?: object;
};

const JSON_BODY = { "Content-Type": "application/json" };
const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const LARGE = JSON.stringify({ x: "x".repeat(1_100_000) });
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

const sent = (path: string, body: string, headers: object = JSON_BODY, method = "POST"): Asked => ({
  path,
  init: { method, body, headers: { ...headers } },
});

const BEGIN = JSON.stringify(INITIALIZE);
const ACCEPTS = { ...JSON_BODY, Accept: ALL };
const NEVER = { limit: async () => ({ success: false }) };

/** The status, why the request is refused, and the request. */
const REFUSALS: [status: number, why: string, asked: Asked][] = [
  [401, "/mcp without a token", { ...sent("/mcp", ""), as: "nobody" }],
  [401, "/mcp with a token that has expired", sent("/mcp", LIST, { Authorization: "Bearer a:b:c" })],
  [404, "/mcp with a session that has ended", sent("/mcp", LIST, { ...JSON_BODY, "Mcp-Session-Id": "x" })],
  [404, "an address below /mcp", sent("/mcp/more", "{}")],
  [405, "/mcp with a method that it has not", { path: "/mcp", init: { method: "PUT" } }],
  [406, "/mcp for another type", sent("/mcp", LIST, { ...JSON_BODY, Accept: "text/html" })],
  [413, "/mcp with a body that is too large", sent("/mcp", LARGE)],
  [400, "/mcp with no JSON", sent("/mcp", "{")],
  [404, "metadata of another resource", { path: `${METADATA}/other` }],
  [404, "metadata that do not exist", { path: "/.well-known/openid-configuration" }],
  [400, "a registration with no JSON", { ...sent("/oauth/register", "{"), as: "nobody" }],
  [413, "a registration that is too large", { ...sent("/oauth/register", LARGE), as: "nobody" }],
  [401, "a token for an unknown client", sent("/oauth/token", "client_id=x&grant_type=x", FORM)],
  [405, "a token by GET", { path: "/oauth/token" }],
  [429, "/mcp after too many requests", { ...sent("/mcp", BEGIN, ACCEPTS), settings: { USER_LIMIT: NEVER } }],
  [
    500,
    "/mcp without its sessions",
    { ...sent("/mcp", BEGIN, ACCEPTS), settings: { MCP_SESSIONS: undefined } },
  ],
];

test.for(REFUSALS)(
  "MCP Inspector and other clients in a page read %i of %s",
  async ([status, , { path, init = {}, as, settings }]) => {
    const client = as === "nobody" ? visitor() : await person();
    const configured = settings ? new ConfiguredClient(client, settings as Partial<Env>) : client;
    const answer = await configured.fetch(path, { ...init, headers: { Origin: INSPECTOR, ...init.headers } });
    expect(answer.status).toBe(status);
    expectReadable(answer);
    if (status === 401 && path === "/mcp")
      expect(answer.headers.get("WWW-Authenticate")).toContain("resource_metadata=");
  },
);

test("MCP Inspector and other clients in a page read 403 of a call that the token is too narrow for, and the id of their session", async () => {
  const ada = await person({ email: ADA });
  const { mcp } = await connect(ADA, ["docs:read"]);
  const call = { name: "remember", arguments: {} };
  const refused = await ask(mcp, "tools/call", call, { Origin: INSPECTOR });
  expect(refused.status).toBe(403);
  expect(refused.headers.get("WWW-Authenticate")).toContain("insufficient_scope");
  expectReadable(refused);
  const begun = await post(ada, INITIALIZE, { Origin: INSPECTOR });
  expect(begun.headers.get("Mcp-Session-Id")).not.toBeNull();
  expectReadable(begun);
});

test("a page of a stranger may read nothing of /mcp, and cookies are of no use anywhere", async () => {
  const headers = { Origin: "https://evil.example", Cookie: "__Host-commonplace=x" };
  for (const method of ["POST", "OPTIONS"]) {
    const refused = await (await person()).fetch("/mcp", { method, headers });
    expect([refused.status, refused.headers.get("Access-Control-Allow-Origin")]).toEqual([403, null]);
  }
  for (const path of [METADATA, "/oauth/token", "/oauth/register", "/authorize", "/api/auth/me"]) {
    const answer = await visitor().fetch(path, { headers });
    expect(answer.headers.has("Access-Control-Allow-Credentials"), path).toBe(false);
    if (path === "/authorize") expect(answer.headers.has("Access-Control-Allow-Origin")).toBe(false);
  }
});

/** What clients register with (RFC 7591), beside a name and a redirect address. */
const REGISTRATIONS: Record<string, Record<string, unknown>> = {
  "in Python, whose models write out what is empty (pydantic)": {
    ...{ client_name: null, client_uri: null, logo_uri: null, tos_uri: null, policy_uri: null },
    ...{ contacts: null, jwks_uri: null, jwks: null, software_id: null, software_version: null },
    ...{ scope: null, grant_types: null, response_types: null, token_endpoint_auth_method: null },
    ...{ software_statement: null, "client_name#de": null },
  },
  "whose settings are empty texts": {
    ...{ client_name: "", client_uri: "", logo_uri: "", tos_uri: "", policy_uri: "", jwks_uri: "" },
    ...{ scope: "", contacts: [], grant_types: [], response_types: [], token_endpoint_auth_method: "" },
  },
  "of OpenID Connect, with fields that are not ours": {
    ...{ client_uri: "https://client.example/", contacts: ["ops@client.example"], x: { y: [1] } },
    ...{ application_type: "native", id_token_signed_response_alg: "RS256" },
  },
  "without a name": { client_name: undefined },
  "that only says where it is": { grant_types: undefined, response_types: undefined },
  "that keeps a secret": { token_endpoint_auth_method: "client_secret_post" },
  "for several services, with grant types that we have not": {
    grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    response_types: ["code", "none"],
  },
  "that leaves the response type out of the lists": {
    ...{ grant_types: ["authorization_code", "refresh_token"], response_types: null },
  },
};

test.for(Object.entries(REGISTRATIONS))("a client %s is registered and authorized", async ([, fields]) => {
  await person({ email: ADA });
  const { status, headers: _, ...made } = await registerClient(fields);
  expect(status).toBe(201);
  expect(Object.values(made)).not.toContain(null);
  const { client_id, client_secret } = made;
  const code = await authorize(ADA, client_id);
  // The default is Basic (RFC 7591 section 2), which the kit does not send.
  if (client_secret !== undefined)
    return expect(made).toMatchObject({
      token_endpoint_auth_method: expect.stringMatching(/^client_secret_(post|basic)$/),
    });
  expect((await exchange(client_id, code)).status).toBe(200);
});

/** What a client accepts, and the type of the answer to a call that changes something, in a session of 2025-11-25. */
const ACCEPTED: [client: string, accept: string | undefined, type: string][] = [
  ["the official SDKs", ALL, "text/event-stream"],
  ["curl and requests of Python", "*/*", "application/json"],
  ["a client in Go, which says nothing", undefined, "application/json"],
  ["the MCP nodes of automation tools", "application/json", "application/json"],
  ["a client that weighs", "application/json;q=0.9, text/event-stream;q=0.1", "text/event-stream"],
  ["a client with wildcards", "application/*", "application/json"],
  ["a client in capitals", "Application/JSON", "application/json"],
];

const MODERN = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": PROGRAM,
};

test.for(ACCEPTED)("%s: a request with Accept: %s is answered", async ([, accept, type]) => {
  const ada = await person();
  const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
  const begun = await fetchRpc(ada, INITIALIZE, headers);
  expect([begun.status, begun.headers.get("Content-Type")]).toEqual([200, "application/json"]);
  const of = {
    "Mcp-Session-Id": begun.headers.get("Mcp-Session-Id") ?? "",
    "MCP-Protocol-Version": "2025-11-25",
  };
  const args = { memory_type: "decision", topic: "Paper", content: "Not plastic" };
  for (const [params, answered] of [
    [{ name: "whoami", arguments: {} }, "application/json"],
    [{ name: "remember", arguments: args }, type],
  ] as const) {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const called = await fetchRpc(ada, call, { ...headers, ...of });
    expect([called.status, called.headers.get("Content-Type")], params.name).toEqual([200, answered]);
    expect(await called.text()).toContain('"id":1');
  }
  for (const [method, params, name] of [
    ["tools/list", {}, {}],
    ["tools/call", { name: "whoami", arguments: {} }, { "Mcp-Name": "whoami" }],
    ["server/discover", {}, {}],
  ] as [string, object, Record<string, string>][]) {
    const named = { "MCP-Protocol-Version": MODERN, "Mcp-Method": method };
    const message = { jsonrpc: "2.0", id: 2, method, params: { ...params, _meta: META } };
    const modern = await fetchRpc(ada, message, { ...headers, ...named, ...name });
    expect([modern.status, modern.headers.get("Content-Type")], method).toEqual([200, "application/json"]);
  }
});

const EMPTY: [client: string, method: string, params: Record<string, unknown> | null][] = [
  ["bridges to other models' functions", "tools/call", { name: "whoami", arguments: null }],
  ["clients in Go and C#, which write null", "tools/call", { name: "whoami", arguments: null, _meta: null }],
  ["clients that write out the page", "tools/list", { cursor: null }],
  ["clients that write out all", "tools/list", null],
  ["clients that write out all", "resources/list", { _meta: null, cursor: null }],
  ["clients that write out all", "prompts/get", { name: "weekly_review", arguments: null }],
  ["clients that write out all", "prompts/get", { name: "weekly_review", arguments: { project: null } }],
  ["clients that write out all", "ping", null],
];

const answersWell = (answer: RpcAnswer) => {
  expect([answer.status, answer.error]).toEqual([200, undefined]);
  expect(answer.result?.isError).toBeUndefined();
};

test.for(EMPTY)("%s: %s with %j is answered", async ([, method, params]) => {
  const session = await initialize(await person());
  answersWell(await session.ask(method, params as never));
  // The revision of 2026-07-28 has no ping, and always has `_meta`.
  if (method !== "ping") answersWell(await ask(session.client, method, params ?? {}));
});
