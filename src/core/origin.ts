import type { Context } from "hono";
import type { AppEnv } from "./ctx.ts";

// The address of the service as a browser sees it. A proxy that ends TLS passes requests on over plain HTTP.

const hostOf = (address: string) => (address === "" ? undefined : new URL(address).host);

/** Whether browsers reach the service over HTTPS: by this request's URL, or because the settings say so. */
export function isHttps(c: Context<AppEnv>): boolean {
  const { protocol, host } = new URL(c.req.url);
  const { API_URL, MCP_URL } = c.env;
  return [protocol, API_URL, host === hostOf(MCP_URL) ? MCP_URL : ""].some((one) => one.startsWith("https:"));
}

/** Whether pages of this origin are the service's own: it is the request's origin, or a configured one. */
export function isOwnOrigin(c: Context<AppEnv>, origin: string): boolean {
  const addresses = [c.req.url, c.env.API_URL, c.env.MCP_URL].filter(Boolean);
  return addresses.some((address) => new URL(address).origin === origin);
}
