import type { LifeCycleAction } from "../../../src/contract/life-cycle.ts";
import type * as memories from "../../../src/contract/memory.ts";
import type * as memoryBulk from "../../../src/contract/memory-bulk.ts";
import type * as memoryEvents from "../../../src/contract/memory-event.ts";
import type * as memoryVersions from "../../../src/contract/memory-version.ts";
import {
  type Answer,
  get,
  type Input,
  post,
  postWithRetry,
  type Query,
  remove,
  type TrackedWrite,
  update,
  type VersionedWrite,
} from "./client.ts";
import type { RequestOptions } from "./request.ts";

export type Memory = memories.Memory;
export type MemoryType = memories.MemoryType;
export type MemoryEvent = memoryEvents.MemoryEvent;
export type NewMemory = Input<typeof memories.MemoryCreateRequest>;
export type MemoryChange = Input<typeof memories.memoryChanges>;
export type MemoryOperation = Input<typeof memoryBulk.MemoryBulkRequest>["operations"][number];
export type MemoryVersion = memoryVersions.MemoryVersion;
/** Actions that change the status. Superseding has its own request. */
type MemoryAction = Exclude<LifeCycleAction, "supersede">;

type OutboxWrite = Pick<RequestOptions, "idempotencyKey" | "account" | "changes">;

export const memoriesApi = {
  list: (query: Query<typeof memories.MemoryListQuery>, signal?: AbortSignal) =>
    get<memories.MemoryList>("/api/memories", query, signal),
  get: (id: number) => get<Memory>(`/api/memories/${id}`),
  /** Including the trash. */
  getIncludingTrash: (id: number) => get<memories.ReadMemory>(`/api/memories/${id}`, { trashed: true }),
  /** Sent once: the outbox retries with the same key. */
  create: (input: NewMemory, by: OutboxWrite = {}) => post<Memory>("/api/memories", input, by),
  update: (id: number, fields: MemoryChange, based: VersionedWrite = {}) =>
    update<Memory>("PATCH", `/api/memories/${id}`, fields, based),
  /** Changes the status; `input` has the fields of the action. */
  act: (id: number, action: MemoryAction, input: Record<string, unknown> = {}, named: TrackedWrite = {}) =>
    postWithRetry<Memory>(`/api/memories/${id}/${action}`, input, named),
  supersede: (id: number, input: Input<typeof memories.SupersedeRequest>, named: TrackedWrite = {}) =>
    postWithRetry<Memory>(`/api/memories/${id}/supersede`, input, named),
  remove: (id: number, permanent = false) =>
    remove(`/api/memories/${id}`, { query: permanent ? { permanent } : {} }),
  restore: (id: number) => postWithRetry<Memory>(`/api/memories/${id}/restore`, undefined),
  bulk: (operations: MemoryOperation[], named: TrackedWrite = {}) =>
    postWithRetry<Answer<typeof memoryBulk.MemoryBulkAnswer>>("/api/memories/bulk", { operations }, named),
  /** Sent once: the caller retries with the same key and body. */
  bulkOnce: (operations: MemoryOperation[], by: OutboxWrite) =>
    post<Answer<typeof memoryBulk.MemoryBulkAnswer>>("/api/memories/bulk", { operations }, by),
  versions: (id: number, query: Query<typeof memoryVersions.VersionListQuery> = {}) =>
    get<memoryVersions.MemoryVersionList>(`/api/memories/${id}/versions`, query),
  version: (id: number, version: number) => get<MemoryVersion>(`/api/memories/${id}/versions/${version}`),
  eraseVersion: (id: number, version: number) => remove(`/api/memories/${id}/versions/${version}`),
  restoreVersion: (id: number, version: number, based: VersionedWrite = {}) =>
    postWithRetry<Memory>(`/api/memories/${id}/versions/${version}/restore`, undefined, based),
  events: (id: number, query: Query<typeof memoryEvents.MemoryEventListQuery> = {}) =>
    get<Answer<typeof memoryEvents.MemoryEventList>>(`/api/memories/${id}/events`, query),
};
