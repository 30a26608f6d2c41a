import type { Context } from "hono";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { visibleName } from "../../platform/http/client-program.ts";
import { mcpUrlFor } from "../oauth/address.ts";
import { oauthHelpers } from "../oauth/provider.ts";

/** Client ids from registration. */
export const REGISTERED_CLIENT_ID = /^[\w-]{1,128}$/;

async function registeredName(c: Context<AppEnv>, clientId: string): Promise<string | undefined> {
  const mcpUrl = mcpUrlFor(c.env.MCP_URL, new URL(c.req.url));
  if (!mcpUrl || !REGISTERED_CLIENT_ID.test(clientId)) return undefined;
  const client = await oauthHelpers(c.env, mcpUrl).lookupClient(clientId);
  return client?.clientName && visibleName(client.clientName);
}

/** Who requests access, as the beginning of a sentence; undefined if no client does. `to`: the page after the sign-in. */
export async function findRequester(c: Context<AppEnv>, to: string | undefined): Promise<string | undefined> {
  if (!to?.startsWith("/authorize?")) return undefined;
  const clientId = new URL(to, c.req.url).searchParams.get("client_id") ?? "";
  // The id may be the URL of the client's metadata, which is fetched only for signed-in people.
  const host = URL.parse(clientId)?.host;
  if (host) return `The app of ${host}`;
  const name = await registeredName(c, clientId);
  return name && `An app that calls itself “${name}”`;
}
