import type { MiddlewareHandler } from "hono";
import { changeIdOf } from "../../contract/change-id.ts";
import type { AppEnv } from "../core/ctx.ts";
import { rulesOf } from "../http/rules.ts";

/** Middleware: sends the id of what the request has changed as `Change-Id`. */
export const nameChanges: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!rulesOf(c)?.changes?.length) return next();
  // Operations for anyone create their context in the handler.
  if (c.var.ctx) c.var.ctx.changes = [];
  await next();
  const changes = c.var.ctx?.changes ?? [];
  // A job that continues after a 202 has only been done in part.
  const id = c.res.ok && c.res.status !== 202 ? changeIdOf(changes) : undefined;
  if (id !== undefined) c.header("Change-Id", id);
};
