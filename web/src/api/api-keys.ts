import type * as apiKeys from "../../../src/contract/api-keys.ts";
import { get, type Input, post, type Query } from "./ask.ts";
import { request } from "./request.ts";

export type ApiKey = apiKeys.ApiKey;

export const apiKeysApi = {
  list: (query: Query<typeof apiKeys.ApiKeyListQuery> = {}) =>
    get<apiKeys.ApiKeyList>("/api/api-keys", query),
  create: (input: Input<typeof apiKeys.ApiKeyCreateRequest>) =>
    post<apiKeys.NewApiKey>("/api/api-keys", input),
  revoke: (id: string) => request<void>(`/api/api-keys/${id}`, { method: "DELETE" }),
};
