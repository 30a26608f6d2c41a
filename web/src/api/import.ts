import type * as imports from "../../../src/contract/import-state.ts";
import { type Answer, get, type Query, remove } from "./ask.ts";
import { request } from "./request.ts";

export type Import = Answer<typeof imports.Import>;
export type ImportMode = Import["mode"];

/** A part of a file: its first byte is at `start`; `total` is the size of the file. */
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
  /** Sends the first part of an export file. Sent again with the same key, it starts over. */
  start: (part: Part, query: { mode: ImportMode; dry_run: boolean }, idempotencyKey: string) =>
    request<Import>("/api/import", { ...partOf(part), query, idempotencyKey }),
  /** Sends another part, starting at byte `received`. */
  sendPart: (id: string, part: Part) => request<Import>(`/api/import/${id}`, partOf(part)),
  /** Applies a completely received file. Answers when done, or after 20 seconds. Throws 400, 404. */
  apply: (id: string, signal?: AbortSignal) =>
    request<Import>(`/api/import/${id}`, { method: "POST", raw: "", headers: WAITING, signal }),
  list: (query: Query<typeof imports.ImportListQuery> = {}) =>
    get<Answer<typeof imports.ImportList>>("/api/import", query),
  get: (id: string, signal?: AbortSignal) => get<Import>(`/api/import/${id}`, undefined, signal),
  remove: (id: string) => remove(`/api/import/${id}`),
};
