import { Buffer } from "node:buffer";
import type { Context, MiddlewareHandler } from "hono";
import { BODY_LIMITS, type BodyLimit } from "../../contract/body-limit.ts";
import { AccountMovedError } from "../core/account-location.ts";
import type { AppEnv } from "../core/ctx.ts";
import { payloadTooLarge, unavailable } from "../core/errors.ts";
import { createQueue } from "../queue/queue.ts";
import { checkBodyShape } from "./body-shape.ts";
import { isRead, operationRules } from "./rules.ts";

type Body = ReadableStream<Uint8Array>;

/** A client that gets its response while it is still sending sees a broken connection unless the rest is read. */
const DRAINED_BYTES = 128 * BODY_LIMITS["1 MiB"];
/** A client that has sent nothing for this long may be waiting for the response. */
const IDLE_MS = 1000;

/** Thirty large bodies at once would delay other requests. Clients that get no slot are answered while still sending. */
const drainQueue = createQueue({
  most: 100,
  refusal: () => unavailable("The server is receiving too many large requests: try again in a moment"),
});

/** Reads the rest of a body, up to 128 MiB. */
async function drainNow(body: Body): Promise<void> {
  const reader = body.getReader();
  let [size, before, hasEnded] = [0, -1, false];
  const read = async () => {
    for (let { value } = await reader.read(); value && size <= DRAINED_BYTES; { value } = await reader.read())
      size += value.byteLength;
  };
  const ended = Promise.allSettled([read()]).then(() => {
    hasEnded = true;
  });
  while (!hasEnded && size > before) {
    before = size;
    await Promise.race([ended, scheduler.wait(IDLE_MS)]);
  }
}

/** The longest delay that a deliberately slow client can cause for such responses to others. */
const PATIENCE_MS = 5000;

const drain = (body: Body): Promise<void> =>
  drainQueue(() => drainNow(body), { patience: PATIENCE_MS }).catch(() => undefined);

/** Undefined for a body of more than `most` bytes. */
async function bytesOf(body: Body, most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (let { value } = await reader.read(); value; { value } = await reader.read()) {
    size += value.byteLength;
    if (size > most) {
      reader.releaseLock();
      await drain(body);
      return undefined;
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks) as Uint8Array<ArrayBuffer>;
}

/**
 * Middleware: reads every body before its request is queued and before anything parses it. Throws 413 for a body over the
 * limit that its operation declares (1 MiB for the paths `larger`, 16 KiB for others), and 400 as `checkBodyShape` does. The
 * body of an operation that streams it is drained after the response if it has not been read.
 */
export function readBody(...larger: string[]): MiddlewareHandler<AppEnv> {
  const limitOf = (c: Context<AppEnv>): BodyLimit =>
    operationRules(c)?.body === "1 MiB" || larger.includes(c.req.path) ? "1 MiB" : "16 KiB";

  return async (c, next) => {
    const { raw } = c.req;
    const { body } = raw;
    // The body of a GET has no meaning (RFC 9110 section 9.3.1).
    if (!body || isRead(raw.method)) return next();
    if (operationRules(c)?.body === "streamed") {
      await next();
      // A request of an account that has moved is sent again, with its body.
      if (!raw.bodyUsed && !(c.error instanceof AccountMovedError)) await drain(body);
      return;
    }
    const limit = limitOf(c);
    const bytes = await bytesOf(body, BODY_LIMITS[limit]);
    if (!bytes) throw payloadTooLarge(limit);
    checkBodyShape(bytes, raw.headers.get("Content-Type") ?? "");
    c.req.raw = new Request(raw, { body: bytes });
    await next();
  };
}
