import type { MiddlewareHandler } from "hono";
import { changeIdOf } from "../../contract/change-id.ts";
import type { AppEnv } from "../core/ctx.ts";
import { rulesOf } from "../http/rules.ts";

export const nameChanges: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!rulesOf(c)?.changes?.length) return next();
  // The handler of what anyone may call makes the context itself.
  if (c.var.ctx) c.var.ctx.changes = [];
  await next();
  const changes = c.var.ctx?.changes ?? [];
  // What goes on after a 202 is only partly done.
  const id = c.res.ok && c.res.status !== 202 ? changeIdOf(changes) : undefined;
  if (id !== undefined) c.header("Change-Id", id);
};
