import type { MiddlewareHandler } from "hono";
import { secretInJson } from "../../contract/text/secrets.ts";
import type { AppEnv } from "../core/ctx.ts";
import { AppError, invalid } from "../core/errors.ts";

const ASKED = { true: true, false: false } as const;

const isWord = (text: string): text is keyof typeof ASKED => Object.hasOwn(ASKED, text);

/** With `Allow-Secret: false`, refuses a body that contains what looks like a password, a key or a card number. */
export const heedAllowSecret: MiddlewareHandler<AppEnv> = async (c, next) => {
  const sent = c.req.header("Allow-Secret") ?? "true";
  if (!isWord(sent)) throw invalid("Allow-Secret: must be true or false");
  if (ASKED[sent] || ["GET", "HEAD", "DELETE"].includes(c.req.method)) return next();
  // What is no JSON is refused by its operation.
  const found = secretInJson(await c.req.json().catch(() => undefined));
  if (!found) return next();
  const { path, what } = found;
  const way = "Take it out, or send the request again with Allow-Secret: true";
  throw new AppError(
    422,
    `${path}: contains what looks like ${what}, and nothing was stored. ${way}`,
    {},
    "secret",
  );
};
