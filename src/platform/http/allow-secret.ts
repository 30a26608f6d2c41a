import type { MiddlewareHandler } from "hono";
import { findSecretInJson } from "../../shared/text/secrets.ts";
import type { AppEnv } from "../core/ctx.ts";
import { unprocessable } from "../core/errors.ts";

/** With `Allow-Secret: false`, rejects a body that seems to contain a password, a key or a card number. */
export const enforceAllowSecret: MiddlewareHandler<AppEnv> = async (c, next) => {
  const sent = c.req.header("Allow-Secret") ?? "true";
  if (!["true", "false"].includes(sent)) throw unprocessable("Allow-Secret: must be true or false");
  if (sent === "true" || ["GET", "HEAD", "DELETE"].includes(c.req.method)) return next();
  // A body that is not JSON is rejected by its operation.
  const found = findSecretInJson(await c.req.json().catch(() => undefined));
  if (!found) return next();
  const { path, what } = found;
  const advice = "Remove it, or send the request again with Allow-Secret: true";
  throw unprocessable(
    `${path}: contains what looks like ${what}, and nothing was stored. ${advice}`,
    "secret",
  );
};
