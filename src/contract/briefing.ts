import { z } from "@hono/zod-openapi";
import { Repeated, RequestQuery, Text } from "./fields.ts";

const MAX_NAMES = 8;

export const BriefingQuery = RequestQuery({
  project: Repeated(Text(1, 200), MAX_NAMES)
    .optional()
    .openapi({
      description:
        "A name that the project may have, such as that of a folder or a repository. Repeated, the first that is a " +
        "project of yours counts. Without one, and if none is, the briefing is about all projects",
      example: ["Apollo"],
    }),
  preferences: z
    .enum(["true", "false"])
    .default("true")
    .transform((value) => value === "true")
    .openapi({ type: "boolean", default: true, description: "False leaves out the preferences that hold" }),
});

export const BriefingText = z.string().openapi({
  description: "Markdown of at most 1,500 tokens",
  example: "# Commonplace: Apollo\n\nToday is 2026-11-25 (Wednesday), time zone Europe/Vienna.",
});
