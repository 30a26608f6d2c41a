import type * as tags from "../../../src/contract/tags.ts";
import { type Answer, get, type Query } from "./ask.ts";
import { request } from "./request.ts";

export type Tag = tags.TagItem;

export const tagsApi = {
  list: (query: Query<typeof tags.TagListQuery> = {}) => get<Answer<typeof tags.TagList>>("/api/tags", query),
  rename: (name: string, to: string) =>
    request<Tag>(`/api/tags/${encodeURIComponent(name)}`, { method: "PUT", body: { name: to } }),
  remove: (name: string) => request<void>(`/api/tags/${encodeURIComponent(name)}`, { method: "DELETE" }),
};
