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

export const Health = z
  .strictObject({
    status: z.literal("ok"),
    homes: z.array(HomeHealth).optional().meta({ description: "Only with `deep`" }),
  })
  .meta({ id: "Health" });
