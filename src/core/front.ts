import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./ctx.ts";
import { misdirected } from "./errors.ts";
import { isKnownHost, knownNames, UNKNOWN_HOST } from "./hosts.ts";

// What stands before the Worker: Cloudflare's routing, or the front of `npm start` (scripts/start/front.ts).

/** The header in which the front shows its secret. */
export const FRONT_HEADER = "X-Front-Secret";

const encode = (text: string) => new TextEncoder().encode(text);

/**
 * Whether the front's own secret was shown, where there is a front. The Worker's own port behind it
 * is open to the whole machine, and whoever finds it has passed none of the front's checks.
 */
export function isFromFront(secret: string | undefined, shown: string | undefined): boolean {
  if (!secret) return true;
  const [expected, given] = [encode(secret), encode(shown ?? "")];
  return expected.byteLength === given.byteLength && crypto.subtle.timingSafeEqual(expected, given);
}

/** Refuses what did not come through the front, and under ALLOWED_HOSTS every other Host (DNS rebinding). */
export const checkFront: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!isFromFront(c.env.FRONT_SECRET, c.req.header(FRONT_HEADER)))
    throw misdirected("This is not a port of the service: use the addresses that `npm start` printed");
  if (c.env.ALLOWED_HOSTS !== "" && !isKnownHost(new URL(c.req.url).host, knownNames(c.env)))
    throw misdirected(UNKNOWN_HOST);
  await next();
};
