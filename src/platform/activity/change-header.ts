import type { MiddlewareHandler } from "hono";
import { formatChangeId } from "../../contract/change-id.ts";
import type { AppEnv } from "../core/ctx.ts";
import { operationRules } from "../http/rules.ts";

/** Middleware: sends the id of what the request has changed as `Change-Id`. */
export const sendChangeId: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!operationRules(c)?.changes?.length) return next();
  // Operations for anyone create their context in the handler.
  if (c.var.ctx) c.var.ctx.changes = [];
  await next();
  const changes = c.var.ctx?.changes ?? [];
  // A job that continues after a 202 has only been done in part.
  const id = c.res.ok && c.res.status !== 202 ? formatChangeId(changes) : undefined;
  if (id !== undefined) c.header("Change-Id", id);
};
