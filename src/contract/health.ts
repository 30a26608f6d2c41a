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
    example: "0052_folder_keys.sql",
  }),
  is_current: z.boolean().meta({
    description: "Whether that is enough for this version of the service. If not, its users get a 503",
  }),
});

const Counts = z.record(z.string(), z.int());

export const Health = z
  .strictObject({
    status: z.literal("ok"),
    homes: z.array(HomeHealth).optional().meta({ description: "Only with `deep`" }),
    faults: z
      .strictObject({ repeated: Counts, failed: Counts })
      .optional()
      .meta({
        description:
          "Calls to the database that were repeated after a passing fault, and those that failed all the same. Only with `deep`",
        example: { repeated: { "connection lost": 2 }, failed: {} },
      }),
  })
  .meta({ id: "Health" });
