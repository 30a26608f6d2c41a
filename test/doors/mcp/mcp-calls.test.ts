import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { OAuthProvider } from "@cloudflare/workers-oauth-provider";
import { expect, test } from "vitest";
import { ACCESS_SCOPES } from "../../../src/contract/access.ts";
import { oauthHelpers } from "../../../src/doors/oauth/provider.ts";
import { getMeRoute } from "../../../src/features/auth/routes.ts";
import { createDocumentRoute } from "../../../src/features/documents/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { BASE, type Client, person } from "../../kit/client.ts";
import { ClientOf } from "../../kit/database.ts";
import { bothGenerations, initialize, stateless, use } from "../../kit/mcp.ts";
import { type Meter, meterDatabase } from "../../kit/meter.ts";
import {
  bearer,
  challengeOf,
  connect,
  REDIRECT,
  RESOURCE,
  refresh,
  registerClient,
  type Tokens,
  VERIFIER,
} from "../../kit/oauth.ts";
import { keyOf } from "../../kit/scopes.ts";

// How many calls MCP makes to the database, which may be on another continent: as many as the route of the API that does
// the same, for any kind of credential and in both generations of the protocol. The first one also authenticates the caller.

const meter: Meter = { rowsRead: 0, rowsWritten: 0, calls: 0 };
const metered = (client: Client) => new ClientOf(client, meterDatabase(env.DB, meter));

async function callsOf(run: () => Promise<unknown>): Promise<number> {
  meter.calls = 0;
  await run();
  return meter.calls;
}

const EMAIL = "ada@example.com";

/** Ada with each kind of credential, each metered, as a client of each generation. */
async function callers(ada: Client) {
  const key = await keyOf(ada, ACCESS_SCOPES);
  // The scopes of a key are looked up when it is used for the first time.
  await stateless(key).ask("ping", {});
  const clients = { "an access token": ada, "an OAuth grant": (await connect(EMAIL)).mcp, "an API key": key };
  const named = Object.entries(clients).map(async ([credential, client]) =>
    (await bothGenerations(metered(client))).map(([generation, asker]) => ({
      who: `${generation} with ${credential}`,
      asker,
    })),
  );
  return (await Promise.all(named)).flat();
}

type Owned = { document: string; trash: string; memory: number };

/** A tool, how many calls it may make, and its input. */
const BUDGETS: [tool: string, most: number, args: (own: Owned) => Record<string, unknown>][] = [
  ["search", 2, () => ({ query: "lighthouse" })],
  ["fetch", 1, ({ document }) => ({ id: document })],
  ["fetch", 1, ({ memory }) => ({ id: `mem:${memory}` })],
  ["list_documents", 1, () => ({})],
  ["create_document", 1, () => ({ title: "New", text: "x" })],
  ["edit_document", 2, ({ document }) => ({ id: document, operation: "append", text: "y" })],
  ["list_versions", 1, ({ document }) => ({ id: document })],
  ["delete_document", 1, ({ trash }) => ({ id: trash })],
  ["list_trash", 1, () => ({})],
  // If a record with the same text exists, it is the answer, which takes another call.
  ["remember", 1, () => ({ memory_type: "context", topic: "T", content: crypto.randomUUID() })],
  ["update_memory", 2, ({ memory }) => ({ id: memory, project: crypto.randomUUID() })],
  ["close_memories", 2, ({ memory }) => ({ ids: [memory], outcome: "confirmed" })],
  ["list_memories", 2, () => ({})],
  ["get_briefing", 2, () => ({})],
  ["whoami", 2, () => ({})],
  // It looks first whether the document is in the trash.
  ["restore", 3, ({ trash }) => ({ id: trash })],
  // A folder by name is looked up first.
  ["create_document", 2, () => ({ title: "New", text: "x", folder: "Work" })],
  ["list_documents", 2, () => ({ folder: "Work" })],
];

test("a tool call stays within its budget, with every credential and in both generations", async () => {
  const ada = await person({ email: EMAIL });
  const create = async (title: string) => (await ada.ok(createDocumentRoute, { json: { title } })).id;
  const record = { memory_type: "commitment", topic: "Keeper", content: "Of the lighthouse" };
  await use(stateless(ada), "create_document", { title: "First", text: "x", folder: "Work" });
  for (const { who, asker } of await callers(ada)) {
    const memory = (await ada.ok(createMemoryRoute, { json: record })).id;
    const own = { document: await create("Lighthouse"), trash: await create("Old"), memory };
    for (const [tool, most, args] of BUDGETS) {
      const calls = await callsOf(() => use(asker, tool, args(own)));
      expect(calls, `${tool}, ${who}`).toBeLessThanOrEqual(most);
      expect(calls).toBeGreaterThan(0);
    }
  }
});

test("a message that needs no data authenticates its caller in one call, a new session in two", async () => {
  const ada = await person({ email: EMAIL });
  for (const { who, asker } of await callers(ada)) {
    for (const method of ["ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list"])
      expect(await callsOf(() => asker.ask(method, {})), `${method}, ${who}`).toBe(1);
    const prompt = { name: "handoff", arguments: {} };
    expect(await callsOf(() => asker.ask("prompts/get", prompt)), who).toBe(1);
    // Even what a tool refuses without the database requires an authenticated caller.
    expect(await callsOf(() => use(asker, "search", {})), who).toBe(1);
  }
  expect(await callsOf(() => initialize(metered(ada)))).toBe(2);
});

/** The OAuth server of an older version, which issued tokens without a number. */
const olderProvider = () => {
  const nothing = { fetch: () => new Response(null, { status: 404 }) };
  return new OAuthProvider({
    apiRoute: "/mcp",
    apiHandler: nothing,
    defaultHandler: nothing,
    authorizeEndpoint: `${BASE}/authorize`,
    tokenEndpoint: `${BASE}/oauth/token`,
    resourceMetadata: { resource: RESOURCE, authorization_servers: [BASE] },
  });
};

async function olderTokens(client_id: string, code: string): Promise<Tokens> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    client_id,
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
    resource: RESOURCE,
  });
  const request = new Request(`${BASE}/oauth/token`, { method: "POST", body });
  return (await olderProvider().fetch(request, env, createExecutionContext())).json();
}

/** A connection as it was created before grants contained their user's number. */
async function olderGrant(ada: Client): Promise<{ client_id: string; tokens: Tokens }> {
  const { client_id } = await registerClient();
  const { id } = await ada.ok(getMeRoute);
  const scope = ["docs:read"];
  const { redirectTo } = await oauthHelpers(env, RESOURCE).completeAuthorization({
    request: {
      responseType: "code",
      clientId: client_id,
      redirectUri: REDIRECT,
      scope,
      state: "s",
      codeChallenge: await challengeOf(VERIFIER),
      codeChallengeMethod: "S256",
      resource: RESOURCE,
    },
    userId: id,
    scope,
    metadata: { client_name: "Old", redirect_host: "client.example" },
    props: { user_id: id, epoch: 0, client_name: "Old" },
  });
  const code = new URL(redirectTo).searchParams.get("code") ?? "";
  return { client_id, tokens: await olderTokens(client_id, code) };
}

test("a grant without a number still works, and costs one additional call until it is renewed", async () => {
  const ada = await person({ email: EMAIL });
  const { client_id, tokens } = await olderGrant(ada);
  const calls = async ({ access_token }: Tokens) => {
    const askers = await bothGenerations(metered(bearer(access_token)));
    const counts: number[] = [];
    for (const [, asker] of askers) counts.push(await callsOf(() => use(asker, "list_documents")));
    return counts;
  };
  expect(await calls(tokens)).toEqual([2, 2]);
  expect(await calls(await refresh(client_id, tokens.refresh_token))).toEqual([1, 1]);
});
