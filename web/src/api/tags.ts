import type * as tags from "../../../src/contract/tags.ts";
import { type Answer, get, type Query, type TrackedWrite } from "./client.ts";
import type { Job, OrJob } from "./jobs.ts";
import { request } from "./request.ts";

export type Tag = tags.TagItem;

const tagUrl = (name: string) => `/api/tags/${encodeURIComponent(name)}`;

export const tagsApi = {
  list: (query: Query<typeof tags.TagListQuery> = {}) => get<Answer<typeof tags.TagList>>("/api/tags", query),
  rename: (name: string, to: string, named: TrackedWrite = {}) =>
    request<OrJob<Tag>>(tagUrl(name), { ...named, method: "PUT", body: { name: to } }),
  remove: (name: string, named: TrackedWrite = {}) =>
    request<Job | undefined>(tagUrl(name), { ...named, method: "DELETE" }),
};
