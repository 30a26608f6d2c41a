import type { MiddlewareHandler } from "hono";
import {
  DISK_STATE_HEADER,
  FRONT_SECRET_HEADER,
  isKnownHost,
  knownHostNames,
  UNKNOWN_HOST_MESSAGE,
} from "../../contract/hosts.ts";
import type { AppEnv } from "../core/ctx.ts";
import { setDiskState } from "../core/disk.ts";
import { misdirected } from "../core/errors.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Whether a request has the secret of `npm start`, if there is one: any local program can reach the Worker's own port. */
export function isFromFront(secret: string | undefined, sent: string | undefined): boolean {
  if (!secret) return true;
  const [expected, given] = [encode(secret), encode(sent ?? "")];
  return expected.byteLength === given.byteLength && crypto.subtle.timingSafeEqual(expected, given);
}

/** Rejects requests that bypass the front and, if ALLOWED_HOSTS is set, unknown Hosts (DNS rebinding). */
export const checkFront: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!isFromFront(c.env.FRONT_SECRET, c.req.header(FRONT_SECRET_HEADER)))
    throw misdirected("This port is not for clients: use one of the addresses that `npm start` printed");
  if (c.env.FRONT_SECRET) setDiskState(c.req.header(DISK_STATE_HEADER));
  if (c.env.ALLOWED_HOSTS !== "" && !isKnownHost(new URL(c.req.url).host, knownHostNames(c.env)))
    throw misdirected(UNKNOWN_HOST_MESSAGE);
  await next();
};
