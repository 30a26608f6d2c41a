import { z } from "@hono/zod-openapi";
import { BooleanParam, RepeatedParam, RequestQuery, Text } from "./fields.ts";

const MAX_NAMES = 8;

export const BriefingQuery = RequestQuery({
  project: RepeatedParam(Text(1, 200), MAX_NAMES)
    .optional()
    .openapi({
      description:
        "A possible name of the project, such as that of a folder or repository. If repeated, the first one that is a " +
        "project of yours is used. Without a match, the briefing covers all projects",
      example: ["Apollo"],
    }),
  preferences: BooleanParam("Whether to include the active preferences", true),
});

export const BriefingText = z.string().openapi({
  description: "Markdown of at most 1,500 tokens",
  example: "# Commonplace: Apollo\n\nToday is 2026-11-25 (Wednesday), time zone Europe/Vienna.",
});
