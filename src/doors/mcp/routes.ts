import { createRouter } from "../../platform/http/openapi.ts";
import { isAllowedOrigin, mcpUrlOf } from "../oauth/address.ts";
import { askProvider } from "../oauth/provider.ts";
import { serveMcp } from "./serve.ts";

const refuse = (message: string) =>
  Response.json({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }, { status: 403 });

const METHODS = ["POST", "GET", "DELETE", "OPTIONS"];

/** The MCP endpoint, for both generations of clients. Host and Origin are checked before anything is read. */
export const mcpRoutes = createRouter().on(METHODS, "/", async (c) => {
  const mcpUrl = mcpUrlOf(c.env.MCP_URL, new URL(c.req.url));
  if (!mcpUrl) return refuse(`Invalid Host: connect to ${c.env.MCP_URL || "the address in MCP_URL"}`);
  const origin = c.req.header("Origin") ?? null;
  if (!isAllowedOrigin(origin, mcpUrl, c.env.MCP_ORIGINS)) return refuse(`Invalid Origin: ${origin}`);
  const asked = { env: c.env, context: c.executionCtx as ExecutionContext };
  return askProvider(mcpUrl, c.req.raw, asked, serveMcp);
});
