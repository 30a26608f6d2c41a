import { z } from "@hono/zod-openapi";
import { RequestQuery } from "./fields.ts";

export const HealthQuery = RequestQuery({
  deep: z
    .enum(["", "true"])
    .optional()
    .meta({ description: "Also look at each database of the service", example: "true" }),
});

const HomeHealth = z.strictObject({
  home: z.int().meta({ description: "The number of the database", example: 1 }),
  schema: z.string().nullable().meta({
    description: "Its latest migration; null if it cannot be asked",
    example: "0059_task_filter.sql",
  }),
  is_current: z.boolean().meta({
    description: "Whether that is enough for this version of the service. If not, its users get a 503",
  }),
});

const countsOf = (what: string) =>
  z.record(z.string(), z.int()).meta({ description: `Calls that ${what}, by what failed` });

export const Health = z
  .strictObject({
    status: z.enum(["ok", "disk_full"]).meta({
      description: "`disk_full`: reading works, and changes are refused until there is room",
      example: "ok",
    }),
    homes: z.array(HomeHealth).optional().meta({ description: "Only with `deep`" }),
    faults: z
      .strictObject({
        repeated: countsOf("were sent again after a passing fault"),
        failed: countsOf("failed all the same"),
      })
      .optional()
      .meta({
        description: "What failed since the isolate that answers was started. Only with `deep`",
        example: { repeated: { "connection lost": 2 }, failed: {} },
      }),
  })
  .meta({ id: "Health" });
