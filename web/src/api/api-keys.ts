import type * as apiKeys from "../../../src/contract/api-keys.ts";
import { get, type Input, postWithRetry, type Query, remove } from "./client.ts";

export type ApiKey = apiKeys.ApiKey;

export const apiKeysApi = {
  list: (query: Query<typeof apiKeys.ApiKeyListQuery> = {}) =>
    get<apiKeys.ApiKeyList>("/api/api-keys", query),
  create: (input: Input<typeof apiKeys.ApiKeyCreateRequest>) =>
    postWithRetry<apiKeys.NewApiKey>("/api/api-keys", input),
  revoke: (id: string) => remove(`/api/api-keys/${id}`),
};
