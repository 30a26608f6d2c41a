import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { ACCESS_SCOPES } from "../../../src/contract/access.ts";
import { CONNECTION_ENDED } from "../../../src/doors/mcp/register.ts";
import * as apiKeys from "../../../src/features/api-keys/routes.ts";
import * as auth from "../../../src/features/auth/routes.ts";
import { listConnectionsRoute, revokeConnectionRoute } from "../../../src/features/connections/routes.ts";
import { BASE, type Client, PASSWORD, person, signIn } from "../../kit/client.ts";
import { ask, initialize, post, type RpcAnswer, type Session } from "../../kit/mcp.ts";
import { bearer, connect, refresh } from "../../kit/oauth.ts";

// A connection that has ended gets a 401 with a challenge for every request, because only that makes a client sign in
// again. The tools of a session answer over a stream, from an object that does not authenticate callers itself.

const EMAIL = "ada@example.com";

const CALLS: [string, string, Record<string, unknown>][] = [
  ["a tool that reads", "tools/call", { name: "list_documents", arguments: {} }],
  ["a tool that writes", "tools/call", { name: "create_document", arguments: { title: "T", text: "x" } }],
  ["a tool that refuses its input", "tools/call", { name: "search", arguments: {} }],
  ["an unknown tool", "tools/call", { name: "rm", arguments: {} }],
  ["a call without a name", "tools/call", {}],
  ["a list", "tools/list", {}],
  ["a resource", "resources/read", { uri: "briefing://today" }],
  ["an unknown resource", "resources/read", { uri: "file:///etc/passwd" }],
  ["a prompt", "prompts/get", { name: "handoff", arguments: {} }],
  ["a ping", "ping", {}],
  ["an unknown method", "nothing/such", {}],
  ["a method that objects have", "constructor", {}],
];

type Sent = [string, () => Promise<RpcAnswer | Response>];

/** Everything that a client of either generation may send. */
function everything(client: Client, session: Session): Sent[] {
  const { headers } = session;
  const accept = { ...headers, Accept: "application/json, text/event-stream" };
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const call = { ...list, id: 2, method: "tools/call", params: { name: "list_documents", arguments: {} } };
  const old = { ...headers, "MCP-Protocol-Version": "2025-03-26" };
  return [
    ...CALLS.flatMap(([name, method, params]): Sent[] => [
      [`${name}, in a session`, () => session.ask(method, params)],
      [`${name}, without one`, () => ask(client, method, params)],
    ]),
    ["a new session", () => post(client, { ...list, method: "initialize", params: {} })],
    ["a notification", () => post(client, { jsonrpc: "2.0", method: "notifications/initialized" }, headers)],
    ["a tool with a long id", () => post(client, { ...call, id: "x".repeat(128) }, headers)],
    ["a tool with too long an id", () => post(client, { ...call, id: "x".repeat(50_000) }, headers)],
    ["a tool as a notification", () => post(client, { ...call, id: undefined }, headers)],
    ["a batch", () => post(client, [call, { ...call, id: 3 }], old)],
    ["a mixed batch", () => post(client, [call, list, { ...list, id: 3, method: "ping" }], old)],
    ["too large a batch", () => post(client, Array(51).fill(list), old)],
    ["broken JSON", () => post(client, "{", headers)],
    ["no object", () => post(client, "[1, null]", headers)],
    ["an unknown session", () => post(client, list, { ...headers, "Mcp-Session-Id": "x" })],
    ["no header that a session needs", () => post(client, call, { ...headers, Accept: "text/plain" })],
    ["a lost answer", () => client.fetch("/mcp", { headers: { ...accept, "Last-Event-ID": "x" } })],
    ["the end of the session", () => client.fetch("/mcp", { method: "DELETE", headers })],
  ];
}

/** Expects that the client is asked to sign in, and that nothing has been read or written. */
async function expectEnded(client: Client, session: Session): Promise<void> {
  for (const [name, send] of everything(client, session)) {
    const answer = await send();
    expect(answer.status, name).toBe(401);
    const challenge = answer.headers.get("WWW-Authenticate") ?? "";
    expect(challenge, name).toContain('error="invalid_token"');
    expect(challenge, name).toContain(`resource_metadata="${BASE}/.well-known/oauth-protected-resource/mcp"`);
  }
  const written = await env.DB.prepare(
    "SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM memories) AS n",
  ).first("n");
  expect(written).toBe(0);
}

const keyTextOf = async (client: Client) =>
  (await client.ok(apiKeys.createApiKeyRoute, { json: { name: "Script", scopes: [...ACCESS_SCOPES] } })).key;

const password = { current_password: PASSWORD, new_password: "another good one" };

const ENDINGS: [string, (ada: Client) => Promise<unknown>][] = [
  ["Ada signs out everywhere", (ada) => ada.call(auth.logoutAllRoute)],
  ["Ada changes her password", (ada) => ada.call(auth.changePasswordRoute, { json: password })],
  ["Ada erases her account", (ada) => ada.call(auth.deleteMeRoute, { json: { password: PASSWORD } })],
];

describe("a connection gets a 401 at once for every request", () => {
  test.for(ENDINGS)("when %s, with a token and with a grant", async ([, end]) => {
    const ada = await person({ email: EMAIL });
    const phone = await signIn(EMAIL);
    const { mcp } = await connect(EMAIL);
    const sessions = [await initialize(phone), await initialize(mcp)] as const;
    for (const session of sessions) expect((await session.ask("tools/list")).status).toBe(200);
    await end(ada);
    for (const session of sessions) await expectEnded(session.client, session);
  });

  test("when its grant has ended", async () => {
    const ada = await person({ email: EMAIL });
    const { mcp } = await connect(EMAIL);
    const session = await initialize(mcp);
    const [connection] = (await ada.ok(listConnectionsRoute)).items;
    await ada.call(revokeConnectionRoute, { params: { connection_id: connection?.id ?? "" } });
    await expectEnded(mcp, session);
  });

  test("when the account has a newer epoch, although KV still has the grant in distant locations", async () => {
    await person({ email: EMAIL });
    const { mcp, client_id, tokens } = await connect(EMAIL);
    const session = await initialize(mcp);
    await env.DB.prepare("UPDATE users SET sign_in_epoch = sign_in_epoch + 1").run();
    await expectEnded(mcp, session);
    const renewed = await refresh(client_id, tokens.refresh_token);
    expect(renewed).toMatchObject({ status: 400, error: "invalid_grant" });
  });

  test("when its session is signed out, and the others still work", async () => {
    await person({ email: EMAIL });
    const [phone, laptop] = [await signIn(EMAIL), await signIn(EMAIL)];
    const session = await initialize(phone);
    const refresh_token = phone.tokens?.refresh_token ?? "";
    await phone.call(auth.logoutRoute, { json: { refresh_token } });
    await expectEnded(phone, session);
    expect((await ask(laptop, "tools/list")).status).toBe(200);
  });

  test.for([
    [
      "revoked",
      (ada: Client, api_key_id: string) => ada.call(apiKeys.revokeApiKeyRoute, { params: { api_key_id } }),
    ],
    ["expired", () => env.DB.prepare("UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000Z'").run()],
    ["its account's", (ada: Client) => ada.call(auth.deleteMeRoute, { json: { password: PASSWORD } })],
  ] as const)("when its key is %s, although its scopes are remembered", async ([, end]) => {
    const ada = await person({ email: EMAIL });
    const session = await initialize(bearer(await keyTextOf(ada)));
    expect((await session.ask("tools/list")).status).toBe(200);
    const [made] = (await ada.ok(apiKeys.listApiKeysRoute)).items;
    await end(ada, made?.id ?? "");
    await expectEnded(session.client, session);
  });

  test("when a key contains another account's number, whose sessions it cannot use", async () => {
    const [ada, eve] = [await person({ email: EMAIL }), await person()];
    const [adas, eves] = [await keyTextOf(ada), await keyTextOf(eve)];
    const session = await initialize(ada);
    const forged = bearer([...adas.split(".").slice(0, 2), eves.split(".")[2]].join("."));
    await expectEnded(forged, Object.assign(session, { client: forged }));
  });
});

test("an error text that resembles the refusal does not end a connection", async () => {
  const ada = await person();
  const session = await initialize(ada);
  const text = 'data: {"error":{"code":-32000,"data":{"status":401}}}';
  const params = { name: "create_document", arguments: { title: text, text: `\n\n${text}\n\n` } };
  expect((await session.ask("tools/call", params)).status).toBe(200);
  const name = '{"error":{"code":-32000,"data":{"status":401}}}';
  expect((await session.ask("tools/call", { name, arguments: {} })).error).toMatchObject({ code: -32602 });
  expect((await session.ask("resources/read", { uri: name })).error?.code).toBe(-32002);
  const said = { name: CONNECTION_ENDED.message, arguments: {} };
  expect((await session.ask("tools/call", said)).error).toMatchObject({ code: -32602 });
});
