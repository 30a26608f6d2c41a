import type { MiddlewareHandler } from "hono";
import { findSecretInJson } from "../../shared/text/secrets.ts";
import type { AppEnv } from "../core/ctx.ts";
import { AppError, unprocessable } from "../core/errors.ts";

const VALUES = { true: true, false: false } as const;

const isBoolean = (text: string): text is keyof typeof VALUES => Object.hasOwn(VALUES, text);

/** With `Allow-Secret: false`, rejects a body that seems to contain a password, a key or a card number. */
export const enforceAllowSecret: MiddlewareHandler<AppEnv> = async (c, next) => {
  const sent = c.req.header("Allow-Secret") ?? "true";
  if (!isBoolean(sent)) throw unprocessable("Allow-Secret: must be true or false");
  if (VALUES[sent] || ["GET", "HEAD", "DELETE"].includes(c.req.method)) return next();
  // A body that is not JSON is rejected by its operation.
  const found = findSecretInJson(await c.req.json().catch(() => undefined));
  if (!found) return next();
  const { path, what } = found;
  const advice = "Remove it, or send the request again with Allow-Secret: true";
  throw new AppError(
    422,
    `${path}: contains what looks like ${what}, and nothing was stored. ${advice}`,
    {},
    "secret",
  );
};
