import type * as imports from "../../../src/contract/import-state.ts";
import { type Answer, get, type Query, remove } from "./ask.ts";
import { request } from "./request.ts";

export type Import = Answer<typeof imports.Import>;
export type ImportMode = Import["mode"];

/** Where a part of a file belongs: its first byte, the one after its last, and the size of the file. */
type Part = { bytes: Blob; start: number; total: number; signal?: AbortSignal };

const NDJSON = { "Content-Type": "application/x-ndjson" };

const WAITING = { ...NDJSON, Prefer: "wait=20" };

const partOf = ({ bytes, start, total, signal }: Part) => ({
  method: "POST" as const,
  raw: bytes,
  headers: { ...NDJSON, "Content-Range": `bytes ${start}-${start + bytes.size - 1}/${total}` },
  signal,
});

export const importsApi = {
  /** Sends the first part of an export file. A repetition with the same key starts over. */
  start: (part: Part, query: { mode: ImportMode; dry_run: boolean }, idempotencyKey: string) =>
    request<Import>("/api/import", { ...partOf(part), query, idempotencyKey }),
  /** Sends a further part, from byte `received` on. */
  sendPart: (id: string, part: Part) => request<Import>(`/api/import/${id}`, partOf(part)),
  /** Has what was received completely applied. Answers when that is done, or after some seconds. Throws 400, 404. */
  apply: (id: string, signal?: AbortSignal) =>
    request<Import>(`/api/import/${id}`, { method: "POST", raw: "", headers: WAITING, signal }),
  list: (query: Query<typeof imports.ImportListQuery> = {}) =>
    get<Answer<typeof imports.ImportList>>("/api/import", query),
  get: (id: string, signal?: AbortSignal) => get<Import>(`/api/import/${id}`, undefined, signal),
  remove: (id: string) => remove(`/api/import/${id}`),
};
