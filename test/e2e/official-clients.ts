import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthPerson } from "./oauth-person.ts";

// The official clients of both generations of the protocol, as a program uses them that knows only the address.

/** What every official client can do. */
export type Speaker = {
  callTool: (call: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>;
  listTools: () => Promise<{ tools: { name: string }[] }>;
  close: () => Promise<void>;
};

export const INFO = { name: "official", version: "1.0.0" };

export type Kind = "SDK v1" | "SDK v2 pinned to 2025-11-25" | "SDK v2 negotiating";
export const KINDS: Kind[] = ["SDK v1", "SDK v2 pinned to 2025-11-25", "SDK v2 negotiating"];
const VERSION: Record<Kind, string> = {
  "SDK v1": "2025-11-25",
  "SDK v2 pinned to 2025-11-25": "2025-11-25",
  "SDK v2 negotiating": "2026-07-28",
};

function newClient(kind: Kind) {
  if (kind === "SDK v1") return new Client(INFO);
  return kind === "SDK v2 negotiating"
    ? new ModernClient(INFO, { versionNegotiation: { mode: "auto" } })
    : new ModernClient(INFO, { supportedProtocolVersions: ["2025-11-25"] });
}

type Options = { authProvider?: OAuthPerson; requestInit?: RequestInit };

/** The endpoint of a service, or the one that ends with a slash. */
const addressOf = (mcpUrl: string) => new URL(mcpUrl.endsWith("/") ? mcpUrl : `${mcpUrl}/mcp`);

const newTransport = (kind: Kind, mcpUrl: string, options: Options) =>
  kind === "SDK v1"
    ? new StreamableHTTPClientTransport(addressOf(mcpUrl), options as never)
    : new ModernTransport(addressOf(mcpUrl), options as never);

/** Connects a client whose user allows access in the browser. Throws unless the client was refused before. */
export async function connect(kind: Kind, mcpUrl: string, authProvider: OAuthPerson): Promise<Speaker> {
  const first = newTransport(kind, mcpUrl, { authProvider });
  const refused = await newClient(kind)
    .connect(first as never)
    .then(
      () => undefined,
      (problem: Error) => problem,
    );
  if (refused?.constructor.name !== "UnauthorizedError") throw refused ?? new Error("It was let in unasked");
  const finish = first.finishAuth.bind(first) as (...back: unknown[]) => Promise<void>;
  await (kind === "SDK v1" ? finish(authProvider.back.get("code")) : finish(authProvider.back));
  const client = newClient(kind);
  await client.connect(newTransport(kind, mcpUrl, { authProvider }) as never);
  const version = client instanceof ModernClient ? client.getNegotiatedProtocolVersion() : VERSION[kind];
  if (version !== VERSION[kind]) throw new Error(`${kind} speaks ${version}`);
  return client as unknown as Speaker;
}

/** Connects one more client that has the tokens of another one. */
export async function connectAgain(kind: Kind, mcpUrl: string, authProvider: OAuthPerson): Promise<Speaker> {
  const client = newClient(kind);
  await client.connect(newTransport(kind, mcpUrl, { authProvider }) as never);
  return client as unknown as Speaker;
}

/** Connects a client that has a token already. */
export async function connectWith(kind: Kind, mcpUrl: string, token: string): Promise<Speaker> {
  const client = newClient(kind);
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(newTransport(kind, mcpUrl, { requestInit }) as never);
  return client as unknown as Speaker;
}

type Called = { isError?: boolean; structuredContent?: Record<string, unknown>; content?: unknown };

/** Calls a tool and returns its structured answer. Throws if it answers with an error. */
export async function use<Answer = Record<string, unknown>>(
  client: Pick<Speaker, "callTool">,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Answer> {
  const answer = (await client.callTool({ name, arguments: args })) as Called;
  if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
  return answer.structuredContent as Answer;
}

/** Calls every tool once, in an order in which each finds what it needs. Returns the names that were not called. */
export async function callEveryTool(client: Speaker): Promise<string[]> {
  const { tools } = await client.listTools();
  const called = new Set<string>();
  const call = (name: string, args?: Record<string, unknown>) => {
    called.add(name);
    return use(client, name, args);
  };
  const { id } = await call("create_document", { title: "Plan", text: "# Plan\n\nzebra" });
  await call("edit_document", { id, operation: "append", text: "\nmore" });
  await call("list_documents");
  await call("list_versions", { id });
  const { memory } = await call("remember", {
    memory_type: "commitment",
    topic: "Call Grace",
    content: "At noon",
  });
  const record = (memory as { id: string }).id;
  await call("update_memory", { id: record, due_date: "2099-01-01" });
  await call("list_memories", { view: "active" });
  const { results } = await call("search", { query: "zebra" });
  await call("fetch", { id: (results as { id: string }[])[0]?.id });
  await call("get_briefing");
  await call("close_memories", { ids: [record], outcome: "resolved" });
  await call("delete_document", { id });
  await call("list_trash");
  await call("restore", { id });
  const { changes } = await call("list_changes", { since: "2026-01-01", mine: true });
  await call("undo_changes", { ids: [(changes as { id: string }[])[0]?.id] });
  await call("tidy");
  await call("whoami");
  return tools.map(({ name }) => name).filter((name) => !called.has(name));
}
