import type * as tidy from "../../../src/contract/tidy.ts";
import { get, type Input, post, postWithRetry, type Query } from "./client.ts";
import type { OrJob } from "./jobs.ts";

export type { Finding, FindingList, TidyItem } from "../../../src/contract/tidy.ts";

export const tidyApi = {
  list: (query: Query<typeof tidy.FindingListQuery> = {}) => get<tidy.FindingList>("/api/tidy", query),
  /** Starts a check of the account, or returns the one that is running. */
  startCheck: () => post<OrJob<tidy.TidyLook>>("/api/tidy", undefined),
  keep: (request: Input<typeof tidy.KeepRequest>) => postWithRetry<void>("/api/tidy/kept", request),
};
