import type * as tags from "../../../src/contract/tags.ts";
import { type Answer, get, type Named, type Query } from "./ask.ts";
import type { Job, OrJob } from "./jobs.ts";
import { request } from "./request.ts";

export type Tag = tags.TagItem;

const addressOf = (name: string) => `/api/tags/${encodeURIComponent(name)}`;

export const tagsApi = {
  list: (query: Query<typeof tags.TagListQuery> = {}) => get<Answer<typeof tags.TagList>>("/api/tags", query),
  rename: (name: string, to: string, named: Named = {}) =>
    request<OrJob<Tag>>(addressOf(name), { ...named, method: "PUT", body: { name: to } }),
  remove: (name: string, named: Named = {}) =>
    request<Job | undefined>(addressOf(name), { ...named, method: "DELETE" }),
};
