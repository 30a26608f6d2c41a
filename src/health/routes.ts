import { createRoute, z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { signingKeys } from "../auth/token.ts";
import { createRouter, errors, json } from "../core/openapi.ts";

const Health = z.strictObject({ status: z.literal("ok") }).meta({ id: "Health" });

export const getHealthRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "getHealth",
  tags: ["Service"],
  summary: "Whether the service works",
  description: "Asks the database and checks the signing keys.",
  responses: { 200: json(Health, "It works"), ...errors() },
});

export const healthRoutes = createRouter().openapi(getHealthRoute, async (c) => {
  await signingKeys(c.env);
  await c.var.base.db.run(sql`SELECT 1`);
  return c.json({ status: "ok" as const }, 200);
});
