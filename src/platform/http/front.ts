import type { MiddlewareHandler } from "hono";
import { DISK_HEADER, FRONT_HEADER, isKnownHost, knownNames, UNKNOWN_HOST } from "../../contract/hosts.ts";
import type { AppEnv } from "../core/ctx.ts";
import { noteDisk } from "../core/disk.ts";
import { misdirected } from "../core/errors.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Whether the front's secret is right; true without a front. Its Worker's own port is open to the whole machine. */
export function isFromFront(secret: string | undefined, shown: string | undefined): boolean {
  if (!secret) return true;
  const [expected, given] = [encode(secret), encode(shown ?? "")];
  return expected.byteLength === given.byteLength && crypto.subtle.timingSafeEqual(expected, given);
}

/** Refuses requests that bypass the front and, if ALLOWED_HOSTS is set, unknown Hosts (DNS rebinding). */
export const checkFront: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!isFromFront(c.env.FRONT_SECRET, c.req.header(FRONT_HEADER)))
    throw misdirected("This is not a port of the service: use the addresses that `npm start` printed");
  if (c.env.FRONT_SECRET) noteDisk(c.req.header(DISK_HEADER));
  if (c.env.ALLOWED_HOSTS !== "" && !isKnownHost(new URL(c.req.url).host, knownNames(c.env)))
    throw misdirected(UNKNOWN_HOST);
  await next();
};
