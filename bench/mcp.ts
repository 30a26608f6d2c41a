// The same tool call in both generations of MCP.

/** A call of a tool. */
export type ToolCall = { name: string; arguments: object };

const CALL: ToolCall = { name: "list_memories", arguments: { view: "active", limit: 20 } };
export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";

const ACCEPT = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

const message = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** Opens a session and returns its id. */
export async function openSession(mcpUrl: string, token: string): Promise<string> {
  const answer = await fetch(`${mcpUrl}/mcp`, {
    method: "POST",
    headers: { ...ACCEPT, Authorization: `Bearer ${token}` },
    body: message("initialize", {
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    }),
  });
  const id = answer.headers.get("Mcp-Session-Id");
  const text = await answer.text();
  if (!id) throw new Error(`initialize: ${answer.status} ${text}`);
  return id;
}

/** A call in a session. */
export const sessionRequest = (token: string, session: string, call: ToolCall = CALL) => ({
  method: "POST" as const,
  path: "/mcp",
  headers: {
    ...ACCEPT,
    Authorization: `Bearer ${token}`,
    "Mcp-Session-Id": session,
    "MCP-Protocol-Version": LEGACY,
  },
  body: message("tools/call", call),
});

const stateless = (token: string, method: string, params: object, headers: Record<string, string> = {}) => ({
  method: "POST" as const,
  path: "/mcp",
  headers: {
    ...ACCEPT,
    Authorization: `Bearer ${token}`,
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": method,
    ...headers,
  },
  body: message(method, {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  }),
});

/** A call of any tool without a session. */
export const toolRequest = (token: string, name: string, args: object) =>
  stateless(token, "tools/call", { name, arguments: args }, { "Mcp-Name": name });

/** The call without a session. */
export const statelessRequest = (token: string) => toolRequest(token, CALL.name, CALL.arguments);

/** The definitions of all tools. Throws unless the service answers with them. */
export async function listTools(mcpUrl: string, token: string): Promise<unknown[]> {
  const { method, path, headers, body } = stateless(token, "tools/list", {});
  const answer = await fetch(`${mcpUrl}${path}`, { method, headers, body });
  const text = await answer.text();
  const { result } = JSON.parse(text) as { result?: { tools: unknown[] } };
  if (!result) throw new Error(`tools/list: ${answer.status} ${text}`);
  return result.tools;
}
