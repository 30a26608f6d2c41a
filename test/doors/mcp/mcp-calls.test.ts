import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { OAuthProvider } from "@cloudflare/workers-oauth-provider";
import { expect, test } from "vitest";
import { ACCESS_SCOPES } from "../../../src/contract/access.ts";
import { oauthHelpers } from "../../../src/doors/oauth/provider.ts";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import { getMeRoute } from "../../../src/features/auth/routes.ts";
import { listCommitmentsRoute } from "../../../src/features/dashboard/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { listTrashRoute } from "../../../src/features/trash/routes.ts";
import { hashSecret, newSecret } from "../../../src/platform/core/secret.ts";
import { BASE, type Client, person } from "../../kit/client.ts";
import { ClientOf } from "../../kit/database.ts";
import { initialize, type RpcAnswer, stateless, use } from "../../kit/mcp.ts";
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

// How many calls MCP makes to the database, which may be on another continent. A tool makes as many as its route of the
// API, for any kind of credential and in both generations of the protocol: the first one also authenticates the caller.

type Asker = { ask: (method: string, params: Record<string, unknown>) => Promise<RpcAnswer> };

const meter: Meter = { rowsRead: 0, rowsWritten: 0, calls: 0 };
const database = () => meterDatabase(env.DB, meter);

async function callsOf(run: () => Promise<unknown>): Promise<number> {
  meter.calls = 0;
  await run();
  return meter.calls;
}

const EMAIL = "ada@example.com";

/** Ada with each kind of credential, each metered. */
async function callers(ada: Client): Promise<[string, ClientOf][]> {
  const { mcp } = await connect(EMAIL);
  const { key } = await ada.ok(createApiKeyRoute, { json: { name: "Script", scopes: [...ACCESS_SCOPES] } });
  // The scopes of a key are looked up when it is used for the first time.
  await stateless(bearer(key)).ask("ping", {});
  const clients = { "an access token": ada, "an OAuth grant": mcp, "an API key": bearer(key) };
  return Object.entries(clients).map(([name, client]) => [name, new ClientOf(client, database())]);
}

/** Both generations of clients. */
async function askers(client: ClientOf): Promise<[string, Asker][]> {
  return [
    ["a session", await initialize(client)],
    ["a stateless client", stateless(client)],
  ];
}

type Owned = { document: string; trash: string; memory: number; routes: ClientOf };

/** The input of a tool, the route that does the same, and how many calls both may make. */
type Pair = {
  tool: string;
  most: number;
  args: (own: Owned) => Record<string, unknown>;
  route: (own: Owned) => Promise<unknown>;
};

const RECORD = { memory_type: "context", topic: "T", content: "C" };
const ofDocument = ({ document }: Owned) => ({ params: { document_id: document } });
const ofRecord = ({ memory }: Owned) => ({ params: { memory_id: String(memory) } });

const PAIRS: Pair[] = [
  {
    tool: "search",
    most: 2,
    args: () => ({ query: "lighthouse" }),
    route: ({ routes }) => routes.ok(searchRoute, { query: { q: "lighthouse", type: "all" } }),
  },
  {
    tool: "fetch",
    most: 1,
    args: ({ document }) => ({ id: document }),
    route: (own) => own.routes.ok(documents.getDocumentRoute, ofDocument(own)),
  },
  {
    tool: "fetch",
    most: 1,
    args: ({ memory }) => ({ id: `mem:${memory}` }),
    route: (own) => own.routes.ok(memories.getMemoryRoute, ofRecord(own)),
  },
  {
    tool: "list_documents",
    most: 1,
    args: () => ({}),
    route: ({ routes }) => routes.ok(documents.listDocumentsRoute),
  },
  {
    tool: "create_document",
    most: 1,
    args: () => ({ title: "New", text: "x" }),
    route: ({ routes }) => {
      const content = { format: "markdown", text: "x" };
      return routes.ok(documents.createDocumentRoute, { json: { title: "New", content } });
    },
  },
  {
    tool: "edit_document",
    most: 2,
    args: ({ document }) => ({ id: document, operation: "append", text: "y" }),
    route: (own) => {
      const json = { operation: "append", text: "y" };
      return own.routes.ok(documents.editDocumentRoute, { ...ofDocument(own), json });
    },
  },
  {
    tool: "list_versions",
    most: 1,
    args: ({ document }) => ({ id: document }),
    route: (own) => own.routes.ok(documents.listVersionsRoute, ofDocument(own)),
  },
  {
    tool: "delete_document",
    most: 1,
    args: ({ trash }) => ({ id: trash }),
    route: (own) => own.routes.call(documents.deleteDocumentRoute, ofDocument(own)),
  },
  {
    tool: "list_trash",
    most: 1,
    args: () => ({}),
    route: ({ routes }) => routes.ok(listTrashRoute),
  },
  {
    tool: "remember",
    most: 1,
    // If a record with the same text exists, it is the answer, which takes another call.
    args: () => ({ ...RECORD, content: crypto.randomUUID() }),
    route: ({ routes }) => routes.ok(memories.createMemoryRoute, { json: RECORD }),
  },
  {
    tool: "update_memory",
    most: 2,
    args: ({ memory }) => ({ id: memory, project: "Apollo" }),
    route: (own) => {
      const json = { project: "Gemini" };
      return own.routes.ok(memories.updateMemoryRoute, { ...ofRecord(own), json });
    },
  },
  {
    tool: "close_memories",
    most: 2,
    args: ({ memory }) => ({ ids: [memory], outcome: "confirmed" }),
    route: ({ routes, memory }) => {
      const operations = [{ operation: "confirm", id: memory }];
      return routes.ok(memories.changeMemoriesRoute, { json: { operations } });
    },
  },
  {
    tool: "list_memories",
    most: 2,
    args: () => ({}),
    route: ({ routes }) => routes.ok(listCommitmentsRoute),
  },
];

/** Tools without a corresponding route. */
const ALONE: [tool: string, most: number, args: (own: Owned) => Record<string, unknown>][] = [
  ["get_briefing", 2, () => ({})],
  ["whoami", 2, () => ({})],
  // It looks first whether the document is in the trash.
  ["restore", 3, ({ trash }) => ({ id: trash })],
  // A folder by name is looked up first.
  ["list_documents", 2, () => ({ folder: "Work" })],
  ["create_document", 2, () => ({ title: "New", text: "x", folder: "Work" })],
];

/** Messages that need no data: they only authenticate the caller. */
const DATALESS = ["ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list"];

async function belongings(ada: Client): Promise<Omit<Owned, "routes">> {
  const create = async (title: string) =>
    (await ada.ok(documents.createDocumentRoute, { json: { title } })).id;
  const record = { memory_type: "commitment", topic: "Keeper", content: "Of the lighthouse" };
  return {
    document: await create("Lighthouse"),
    trash: await create("Old"),
    memory: (await ada.ok(memories.createMemoryRoute, { json: record })).id,
  };
}

/** A key as it was created before keys contained their user's number. */
async function olderKey(ada: Client): Promise<Client> {
  const json = { name: "Old", scopes: ["docs:read"] };
  const { id } = await ada.ok(createApiKeyRoute, { json });
  const key = `cpk_${newSecret()}`;
  await env.DB.prepare("UPDATE api_keys SET hash = ? WHERE id = ?")
    .bind(await hashSecret(key), id)
    .run();
  return bearer(key);
}

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

test("a tool call makes as many database calls as its route, with every credential and in both generations", async () => {
  const ada = await person({ email: EMAIL });
  const routes = new ClientOf(ada, database());
  for (const [who, client] of await callers(ada)) {
    for (const [generation, asker] of await askers(client)) {
      const own = { ...(await belongings(ada)), routes };
      for (const { tool, most, args, route } of PAIRS) {
        const asTool = await callsOf(() => use(asker, tool, args(own)));
        const asRoute = await callsOf(() => route(own));
        expect(asTool, `${tool}, ${generation} with ${who}`).toBe(asRoute);
        expect(asTool, `${tool}, ${generation} with ${who}`).toBeLessThanOrEqual(most);
        expect(asTool).toBeGreaterThan(0);
      }
      await use(asker, "create_document", { title: "First", text: "x", folder: "Work" });
      for (const [tool, most, args] of ALONE) {
        const calls = await callsOf(() => use(asker, tool, args(own)));
        expect(calls, `${tool}, ${generation} with ${who}`).toBeLessThanOrEqual(most);
      }
    }
  }
});

test("a message that needs no data authenticates its caller in one call", async () => {
  for (const [who, client] of await callers(await person({ email: EMAIL }))) {
    expect(await callsOf(() => initialize(client)), who).toBe(2);
    for (const [generation, asker] of await askers(client)) {
      for (const method of DATALESS) {
        expect(await callsOf(() => asker.ask(method, {})), `${method}, ${generation} with ${who}`).toBe(1);
      }
      const prompt = { name: "handoff", arguments: {} };
      expect(await callsOf(() => asker.ask("prompts/get", prompt)), `${generation} with ${who}`).toBe(1);
      // Even what a tool refuses without the database requires an authenticated caller.
      expect(await callsOf(() => use(asker, "search", {})), `${generation} with ${who}`).toBe(1);
    }
  }
});

test("a key that is new to this isolate costs one additional call, once", async () => {
  const ada = await person();
  const json = { name: "Script", scopes: ["docs:read"] };
  const list = async (client: Client) => use(stateless(client), "list_documents");
  const first = new ClientOf(bearer((await ada.ok(createApiKeyRoute, { json })).key), database());
  expect([await callsOf(() => list(first)), await callsOf(() => list(first))]).toEqual([2, 1]);
});

test("an older key and a grant without a number still work, and cost one additional call", async () => {
  const ada = await person({ email: EMAIL });
  const key = new ClientOf(await olderKey(ada), database());
  await use(stateless(key), "list_documents");
  expect(await callsOf(() => use(stateless(key), "list_documents"))).toBe(2);

  const { client_id, tokens } = await olderGrant(ada);
  const older = new ClientOf(bearer(tokens.access_token), database());
  for (const [generation, asker] of await askers(older)) {
    expect(await callsOf(() => use(asker, "list_documents")), generation).toBe(2);
  }
  const renewed = await refresh(client_id, tokens.refresh_token);
  const newer = new ClientOf(bearer(renewed.access_token), database());
  for (const [generation, asker] of await askers(newer)) {
    expect(await callsOf(() => use(asker, "list_documents")), generation).toBe(1);
  }
});
