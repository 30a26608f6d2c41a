import type { Context } from "hono";
import type { Env } from "../../env.ts";
import type { AppEnv } from "../core/ctx.ts";
import { forbidden } from "../core/errors.ts";

// The address of the service as browsers see it. A proxy that terminates TLS forwards requests over plain HTTP.

const hostOf = (address: string) => (address === "" ? undefined : new URL(address).host);

export function isHttps(c: Context<AppEnv>): boolean {
  const { protocol, host } = new URL(c.req.url);
  const { API_URL, MCP_URL } = c.env;
  return [protocol, API_URL, host === hostOf(MCP_URL) ? MCP_URL : ""].some((one) => one.startsWith("https:"));
}

export function isOwnOrigin(c: Context<AppEnv>, origin: string): boolean {
  const addresses = [c.req.url, c.env.API_URL, c.env.MCP_URL].filter(Boolean);
  return addresses.some((address) => new URL(address).origin === origin);
}

/** The origin for links in emails, never from the Host header. Throws 403 if neither API_URL nor MCP_URL is set. */
export function publicOrigin({ API_URL, MCP_URL }: Env): string {
  const address = API_URL || MCP_URL;
  if (!address)
    throw forbidden("This service does not know its own address: its operator has to set API_URL");
  return new URL(address).origin;
}

/** The domain of passkeys, and the origins that may use them: from API_URL and MCP_URL, or else from the request. */
export function relyingParty(c: Context<AppEnv>): { id: string; origins: string[] } {
  const configured = [c.env.API_URL, c.env.MCP_URL].filter(Boolean);
  const addresses = (configured.length > 0 ? configured : [c.req.url]).map((address) => new URL(address));
  const id = addresses[0]?.hostname ?? "";
  return { id, origins: addresses.filter(({ hostname }) => hostname === id).map(({ origin }) => origin) };
}
