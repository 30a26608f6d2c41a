import * as schema from "../../contract/tidy.ts";
import {
  ACCEPTED_RESPONSE,
  answerAccepted,
  PREFER_HEADERS,
  requestPreference,
} from "../../platform/http/job-response.ts";
import { BODY_ERRORS, body, createRouter, errors, json, operation } from "../../platform/http/openapi.ts";
import { startLook } from "./job.ts";
import { listFindings, setFindingKept } from "./list-store.ts";

const tags = ["Tidy"];

export const listFindingsRoute = operation({
  method: "get",
  path: "/",
  operationId: "listFindings",
  tags,
  summary: "List what can be tidied up",
  description:
    "What the last look (POST /api/tidy) found and still applies: duplicates, records that contradict each other, " +
    "preferences replaced by a later one, commitments that say they are done, documents not changed for a year, one-word " +
    "topics, and secrets, also in earlier versions and in the trash. Each finding has a reason and lists the operations on " +
    "records and documents that resolve it.",
  rules: { access: ["docs:read", "memory:read"], daily: "limited" },
  request: { query: schema.FindingListQuery },
  responses: { 200: json(schema.FindingList, "A page of findings"), ...errors(401, 422) },
});

export const lookRoute = operation({
  method: "post",
  path: "/",
  operationId: "look",
  tags,
  summary: "Look through the account for what can be tidied up",
  description:
    "Reads the open records and the documents, at most the newest 20,000 of each, and searches as many versions and what is " +
    "closed or in the trash for secrets. Nothing is changed. While a look is in progress, this returns that look. Findings " +
    "are computed from the texts alone, without a model.",
  rules: { access: ["docs:write", "memory:write"], daily: "limited", body: "none", adds: [], changes: [] },
  request: { headers: PREFER_HEADERS },
  responses: {
    200: json(schema.TidyLook, "What the look covered"),
    204: { description: "Done. Returned to API keys that may write but not read" },
    ...ACCEPTED_RESPONSE,
    ...errors(401, 409),
  },
});

export const keepFindingRoute = operation({
  method: "post",
  path: "/kept",
  operationId: "keepFinding",
  tags,
  summary: "Keep a finding as it is, or report it again",
  description:
    "A kept finding is not reported again while it concerns the same items. With `keep: false`, the next look may report it.",
  rules: {
    access: ["docs:write", "memory:write"],
    daily: "limited",
    body: "1 MiB",
    adds: ["bytes"],
    changes: [],
  },
  request: { body: body(schema.KeepRequest) },
  responses: { 204: { description: "Kept" }, ...errors(...BODY_ERRORS, 401, 404) },
});

export const tidyRoutes = createRouter()
  .openapi(listFindingsRoute, async (c) => c.json(await listFindings(c.var.ctx, c.req.valid("query")), 200))
  .openapi(lookRoute, async (c) => {
    const { result, job } = await startLook(c.var.ctx, requestPreference(c));
    return job ? answerAccepted(c, job) : c.json(result, 200);
  })
  .openapi(keepFindingRoute, async (c) => {
    await setFindingKept(c.var.ctx, c.req.valid("json"));
    return c.body(null, 204);
  });
