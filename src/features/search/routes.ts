import {
  ReindexAnswer,
  ReindexRequest,
  SearchAnswer,
  SearchQuery,
  SuggestAnswer,
  SuggestQuery,
} from "../../contract/search.ts";
import { unprocessable } from "../../platform/core/errors.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { baseCtxIn, isShard } from "../../platform/shards/router.ts";
import { reindex } from "./reindex-store.ts";
import { search } from "./store.ts";
import { suggest } from "./suggest-store.ts";

const LANGUAGE = `Finds documents that contain any of the words: those with all of them first, then by relevance.

| in \`q\` | means |
|---|---|
| \`"a phrase"\` | these words next to each other |
| \`pre*\` | words with this prefix |
| \`-word\`, \`-"a phrase"\`, \`AND NOT word\` | not in the document |
| \`a OR b\` | either word |
| \`title:word\` | in the title |
| \`tag:x\`, \`folder:Name\`, \`source:import\` | filters; quote values with spaces |
| \`task:open\`, \`task:done\`, \`has:task\` | documents with an open task, with only done tasks, with any task |
| \`has:file\` | documents and records that have a file attached |
| \`type:commitment\`, \`status:active\`, \`project:Apollo\` | filters for memory records, if \`type\` includes them |
| \`after:2026-01-31\`, \`before:28.02.2026\`, \`after:2026-01\`, \`after:yesterday\`, \`after:"last week"\` | by the last change, in days of your time zone; for a record, of its content, due date or state |
| \`due:today\`, \`due:2026-12-01\`, \`due:<2026-12-01\`, \`due:"next week"\`, \`due:overdue\` or \`is:overdue\`, \`due:none\`, \`is:repeating\` | memory records by due date, including closed ones (\`<\`, \`<=\`, \`>\`, \`>=\`); active ones that are overdue; records without a due date; repeating ones |
| \`priority:high\`, \`owed:to_me\`, \`owed:by_me\` | memory records by their priority (\`high\`, \`normal\`, \`low\`), and by who owes it |

Everything else is plain text, including incomplete operators; \`notes\` lists what looks like a filter but is not one.`;

export const searchRoute = operation({
  method: "get",
  path: "/",
  operationId: "search",
  tags: ["Search"],
  summary: "Search documents",
  description: LANGUAGE,
  rules: { access: { byType: ["docs:read", "memory:read"] }, daily: "limited", alone: true },
  request: { query: SearchQuery },
  responses: { 200: json(SearchAnswer, "A page of matches"), ...errors(401, 404, 422) },
});

export const suggestRoute = operation({
  method: "get",
  path: "/suggest",
  operationId: "suggest",
  tags: ["Search"],
  summary: "Suggest completions",
  description: "From the caller's own titles, tags and words.",
  rules: { access: ["docs:read", "memory:read"], daily: "limited" },
  request: { query: SuggestQuery },
  responses: { 200: json(SuggestAnswer, "Completions, titles and tags first"), ...errors(401, 422) },
});

export const reindexRoute = operation({
  operationId: "reindex",
  method: "post",
  path: "/reindex",
  tags: ["Search"],
  summary: "Rebuild the search index, one step at a time",
  description:
    "Only for the deployment's admin. Search stays available; `npm run reindex` repeats this until nothing is left.",
  rules: { access: "person", daily: "limited", alone: true, body: "1 MiB", adds: [], changes: [] },
  request: { body: body(ReindexRequest) },
  responses: {
    200: json(ReindexAnswer, "The progress of this step"),
    ...errors(...BODY_ERRORS, 401, 403, 409),
  },
});

export const searchRoutes = createRouter()
  .openapi(searchRoute, async (c) => c.json(await search(c.var.ctx, c.req.valid("query")), 200))
  .openapi(suggestRoute, async (c) => c.json(await suggest(c.var.ctx, c.req.valid("query")), 200))
  .openapi(reindexRoute, async (c) => {
    const { ctx } = c.var;
    const { all, home = ctx.shard } = c.req.valid("json");
    if (!isShard(c.env, home)) throw unprocessable("home: the service has no such database");
    return c.json(await reindex(ctx, { all, base: home === ctx.shard ? ctx : baseCtxIn(c, home) }), 200);
  });
