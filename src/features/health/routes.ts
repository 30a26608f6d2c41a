import { Health, HealthQuery } from "../../contract/health.ts";
import type { Env } from "../../env.ts";
import { isDiskFull } from "../../platform/core/disk.ts";
import { faultCounts } from "../../platform/core/faults.ts";
import { createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { configuredShards, openShard } from "../../platform/shards/router.ts";
import { LATEST_MIGRATION, pingDatabase, readLatestMigration } from "../../platform/shards/schema-store.ts";
import { signingKeys } from "../auth/token.ts";

export const getHealthRoute = operation({
  method: "get",
  path: "/",
  operationId: "getHealth",
  tags: ["Service"],
  summary: "Check the health of the service",
  description:
    "Queries the database and checks the signing keys. A full disk is reported in `status` and is not a failure, because reading still works. With `deep`, also reads the schema version of each database and returns counts of transient faults.",
  rules: { access: "anyone", daily: "unlimited" },
  request: { query: HealthQuery },
  responses: { 200: json(Health, "The service is healthy"), ...errors(413, 422) },
});

const readSchemas = (env: Env) =>
  Promise.all(
    configuredShards(env).map(async ({ number: home }) => {
      const schema = await readLatestMigration(openShard(env, home));
      return { home, schema, is_current: (schema ?? "") >= LATEST_MIGRATION };
    }),
  );

export const healthRoutes = createRouter().openapi(getHealthRoute, async (c) => {
  await signingKeys(c.env);
  await pingDatabase(c.var.base);
  const isDeep = c.req.valid("query").deep !== undefined;
  const deep = isDeep && { homes: await readSchemas(c.env), faults: faultCounts };
  const status = isDiskFull() ? ("disk_full" as const) : ("ok" as const);
  return c.json({ status, ...deep }, 200);
});
