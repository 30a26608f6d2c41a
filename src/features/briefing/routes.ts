import { BRIEFING_SCOPE } from "../../contract/access.ts";
import * as schema from "../../contract/briefing.ts";
import { createRouter, errors, operation } from "../../platform/http/openapi.ts";
import { readBriefing } from "./store.ts";
import { briefingText } from "./text.ts";

export const getBriefingTextRoute = operation({
  method: "get",
  path: "/",
  operationId: "getBriefingText",
  tags: ["Dashboard"],
  summary: "Get a briefing for the start of a conversation",
  description:
    "What an assistant should know from the start: what is overdue, due soon, stale or blocked and what was decided " +
    "recently in one project or all, current preferences, and the ids to act on.",
  rules: { access: BRIEFING_SCOPE, daily: "limited" },
  request: { query: schema.BriefingQuery },
  responses: {
    200: { description: "The briefing", content: { "text/markdown": { schema: schema.BriefingText } } },
    ...errors(401, 422),
  },
});

export const briefingRoutes = createRouter().openapi(getBriefingTextRoute, async (c) => {
  const { project = [], preferences } = c.req.valid("query");
  const briefing = await readBriefing(c.var.ctx, { names: project, preferences });
  return c.text(briefingText(briefing), 200, { "Content-Type": "text/markdown; charset=utf-8" });
});
