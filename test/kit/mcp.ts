import { expect } from "vitest";
import { ERROR_CODES } from "../../src/contract/error-codes.ts";
import { ErrorBody } from "../../src/platform/core/errors.ts";
import type { Client } from "./client.ts";

// Speaks raw MCP, in both generations, so that a test can send anything.

export type RpcAnswer = {
  status: number;
  headers: Headers;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
};

/** A client of one generation: sends a request, and resolves with the answer. */
export type Asker = { ask: (method: string, params: Record<string, unknown>) => Promise<RpcAnswer> };

const ACCEPT = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

/** The last JSON-RPC message in a body, which may be plain JSON or an event stream. */
function messageIn(text: string): Record<string, unknown> {
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  const last = lines.at(-1)?.slice("data: ".length) ?? text;
  return last === "" ? {} : (JSON.parse(last) as Record<string, unknown>);
}

/** Sends one message to /mcp, unchanged. */
export async function post(
  client: Client,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<RpcAnswer> {
  const response = await client.fetch("/mcp", {
    method: "POST",
    headers: { ...ACCEPT, ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
  const text = await response.text();
  const isError = ErrorBody.safeParse(text.startsWith("{") ? JSON.parse(text) : {}).success;
  return { status: response.status, headers: response.headers, ...(isError ? {} : messageIn(text)) };
}

const MODERN = "2026-07-28";

/** A request of MCP 2026-07-28. */
export const ask = (
  client: Client,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<RpcAnswer> => {
  const name = params.name ?? params.uri;
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "test-client", version: "1.0.0" },
      },
    },
  };
  return post(client, message, {
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": method,
    ...(typeof name === "string" && { "Mcp-Name": name }),
    ...headers,
  });
};

/** A session of MCP up to 2025-11-25. */
export class Session {
  readonly client: Client;
  readonly id: string;
  readonly version: string;

  constructor(client: Client, id: string, version: string) {
    this.client = client;
    this.id = id;
    this.version = version;
  }

  get headers() {
    return { "Mcp-Session-Id": this.id, "MCP-Protocol-Version": this.version };
  }

  ask(method: string, params: Record<string, unknown> = {}, id: unknown = 1): Promise<RpcAnswer> {
    return post(this.client, { jsonrpc: "2.0", id, method, params }, this.headers);
  }
}

/** Opens a session. */
export async function initialize(client: Client, version = "2025-11-25"): Promise<Session> {
  const answer = await post(client, {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: "session-client", version: "1.0.0" },
    },
  });
  const id = answer.headers.get("Mcp-Session-Id");
  if (!id) throw new Error(`initialize: ${answer.status} ${JSON.stringify(answer.error)}`);
  const session = new Session(client, id, String(answer.result?.protocolVersion));
  await post(client, { jsonrpc: "2.0", method: "notifications/initialized" }, session.headers);
  return session;
}

/** A tool's answer: its structured content, or its text when it refused. */
export async function use(
  asker: Asker,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown> & { refused?: string }> {
  const { result, error, status } = await asker.ask("tools/call", { name, arguments: args });
  if (!result) throw new Error(`${name}: ${status} ${JSON.stringify(error)}`);
  const [content] = result.content as { text: string }[];
  if (result.isError) {
    const code = (result._meta as Record<string, string> | undefined)?.["commonplace/error-code"] ?? "";
    if (!Object.hasOwn(ERROR_CODES, code)) throw new Error(`${name}: refused with the code "${code}"`);
    return { refused: content?.text ?? "" };
  }
  const told = JSON.parse(content?.text ?? "null") as Record<string, unknown>;
  // A long answer has only a part there (`brief` of a tool).
  expect(told, `${name}: structuredContent says what the text does not`).toMatchObject(
    result.structuredContent as object,
  );
  return told;
}

/** Calls tools, and expects each to refuse its input with these words. */
export async function expectRefusals(
  asker: Asker,
  refusals: [tool: string, args: Record<string, unknown>, words: string | RegExp][],
): Promise<void> {
  for (const [tool, args, words] of refusals) {
    const { refused = "" } = await use(asker, tool, args);
    expect(refused, `${tool} ${JSON.stringify(args).slice(0, 200)}`).toMatch(words);
  }
}

/** A client of 2026-07-28. */
export const stateless = (client: Client) => ({
  ask: (method: string, params: Record<string, unknown>) => ask(client, method, params),
});

/** A client of each generation, for one caller. */
export const bothGenerations = async (client: Client): Promise<[string, Asker][]> => [
  ["a session", await initialize(client)],
  ["a stateless client", stateless(client)],
];

/** The bare id in a tool's answer: of `mem:4` the number, of `doc:<uuid>` and `folder:<uuid>` the UUID. */
export const bareId = (id: unknown): string => String(id).replace(/^(?:mem|doc|folder):/, "");

/** The number of a record in a tool's answer. */
export const numberIn = (id: unknown): number => Number(bareId(id));
