import type { Context } from "hono";
import type { AppEnv } from "./ctx.ts";

// The address of the service as a browser sees it. A proxy that ends TLS passes requests on over plain HTTP.

/** Whether browsers reach the service over HTTPS: by this request's URL, or because API_URL says so. */
export const isHttps = (c: Context<AppEnv>): boolean =>
  new URL(c.req.url).protocol === "https:" || c.env.API_URL.startsWith("https:");

/** Whether pages of this origin are the service's own: it is the request's origin, or a configured one. */
export function isOwnOrigin(c: Context<AppEnv>, origin: string): boolean {
  const addresses = [c.req.url, c.env.API_URL, c.env.MCP_URL].filter(Boolean);
  return addresses.some((address) => new URL(address).origin === origin);
}
