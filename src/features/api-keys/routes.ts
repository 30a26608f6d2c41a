import * as schema from "../../contract/api-keys.ts";
import { IdempotencyHeaders } from "../../contract/idempotency.ts";
import { BODY_ERRORS, body, createRouter, errors, json, tagged } from "../../platform/http/openapi.ts";
import { answerOnce } from "../../platform/idempotency/answer-once.ts";
import * as store from "./store.ts";

const operation = tagged("API keys");

export const createApiKeyRoute = operation({
  method: "post",
  path: "/",
  operationId: "createApiKey",
  summary: "Create an API key",
  description:
    "The key is shown only once. It is a Bearer token for the API and for MCP, limited to its scopes.",
  rules: { access: "person", daily: "unlimited", body: "1 MiB", adds: ["api_keys"], changes: [] },
  middleware: [answerOnce({ isSecret: true })] as const,
  request: { headers: IdempotencyHeaders, body: body(schema.ApiKeyCreateRequest) },
  responses: { 201: json(schema.NewApiKey, "The new key"), ...errors(...BODY_ERRORS, 401, 409) },
});

export const listApiKeysRoute = operation({
  method: "get",
  path: "/",
  operationId: "listApiKeys",
  summary: "List API keys",
  description: "Newest first, without the keys themselves.",
  rules: { access: "person", daily: "unlimited" },
  request: { query: schema.ApiKeyListQuery },
  responses: { 200: json(schema.ApiKeyList, "A page of keys"), ...errors(401, 422) },
});

export const revokeApiKeyRoute = operation({
  method: "delete",
  path: "/{api_key_id}",
  operationId: "revokeApiKey",
  summary: "Revoke an API key",
  description: "The key is rejected from the next request on.",
  rules: { access: "person", daily: "unlimited", body: "none", adds: [], changes: [] },
  request: { params: schema.ApiKeyParams },
  responses: { 204: { description: "Revoked" }, ...errors(401, 404, 422) },
});

export const apiKeyRoutes = createRouter()
  .openapi(createApiKeyRoute, async (c) =>
    c.json(await store.createApiKey(c.var.ctx, c.req.valid("json")), 201),
  )
  .openapi(listApiKeysRoute, async (c) =>
    c.json(await store.listApiKeys(c.var.ctx, c.req.valid("query")), 200),
  )
  .openapi(revokeApiKeyRoute, async (c) => {
    await store.revokeApiKey(c.var.ctx, c.req.valid("param").api_key_id);
    return c.body(null, 204);
  });
