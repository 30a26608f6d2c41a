import { z } from "@hono/zod-openapi";
import { RequestQuery } from "./fields.ts";

export const HealthQuery = RequestQuery({
  deep: z
    .enum(["", "true"])
    .optional()
    .meta({ description: "Also check each database of the service", example: "true" }),
});

const ShardHealth = z.strictObject({
  home: z.int().meta({ description: "Number of the database", example: 1 }),
  schema: z.string().nullable().meta({
    description: "Its latest migration; null if the database cannot be reached",
    example: "0059_task_filter.sql",
  }),
  is_current: z.boolean().meta({
    description:
      "Whether that migration is recent enough for this version of the service. If not, its users get 503",
  }),
});

const callCounts = (outcome: string) =>
  z.record(z.string(), z.int()).meta({ description: `Number of calls that ${outcome}, by error` });

export const Health = z
  .strictObject({
    status: z.enum(["ok", "disk_full"]).meta({
      description: "`disk_full`: reading works, changes are rejected until there is space",
      example: "ok",
    }),
    homes: z.array(ShardHealth).optional().meta({ description: "Only with `deep`" }),
    faults: z
      .strictObject({
        repeated: callCounts("were retried after a transient error"),
        failed: callCounts("failed in spite of retries"),
      })
      .optional()
      .meta({
        description: "Database errors since the responding isolate started. Only with `deep`",
        example: { repeated: { "connection lost": 2 }, failed: {} },
      }),
  })
  .meta({ id: "Health" });
