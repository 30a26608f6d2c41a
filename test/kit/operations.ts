import type { RouteConfig, z } from "@hono/zod-openapi";
import { app } from "../../src/app.ts";
import type { Operation } from "../../src/platform/http/openapi.ts";
import type { OperationRules } from "../../src/platform/http/rules.ts";

// Every operation of the API, taken from the app itself, so that new ones are tested too.

export const operations = app.openAPIRegistry.definitions.flatMap((definition) =>
  definition.type === "route" ? [definition.route as Operation] : [],
);

/** The rules that an operation states. */
export const rulesOf = (route: RouteConfig): OperationRules => (route as Operation).rules;
export const nameOf = ({ method, path }: RouteConfig) => `${method.toUpperCase()} ${path}`;
export const named = operations.map((route) => [nameOf(route), route] as const);

export const NOBODYS_ID = "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42";
export const NOBODYS: Record<string, string> = {
  memory_id: "1",
  version: "1",
  number: "1",
  part: "1",
  width: "320",
  name: "x",
  connection_id: "x",
};

/** An operation's path with ids that do not exist. */
export const pathOf = ({ path }: RouteConfig) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => NOBODYS[name] ?? NOBODYS_ID);

export const jsonOf = (route: RouteConfig): z.ZodType | undefined => {
  const content = route.request?.body?.content as Record<string, { schema: z.ZodType }> | undefined;
  return content?.["application/json"]?.schema;
};
export const takesFile = (route: RouteConfig) => route.request?.body !== undefined && !jsonOf(route);
