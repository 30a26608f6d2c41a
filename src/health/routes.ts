import { createRoute, z } from "@hono/zod-openapi";
import { signingKeys } from "../auth/token.ts";
import { createRouter, errors, json } from "../core/openapi.ts";
import { pingDatabase } from "./store.ts";

const Health = z.strictObject({ status: z.literal("ok") }).meta({ id: "Health" });

export const getHealthRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "getHealth",
  tags: ["Service"],
  summary: "Whether the service is healthy",
  description: "Queries the database and checks the signing keys.",
  responses: { 200: json(Health, "The service is healthy"), ...errors(413) },
});

export const healthRoutes = createRouter().openapi(getHealthRoute, async (c) => {
  await signingKeys(c.env);
  await pingDatabase(c.var.base);
  return c.json({ status: "ok" as const }, 200);
});
