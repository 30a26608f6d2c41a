import type * as imports from "../../../src/contract/import-state.ts";
import { type Answer, get, type Query, remove } from "./client.ts";
import { request } from "./request.ts";

export type Import = Answer<typeof imports.Import>;
export type ImportMode = Import["mode"];

/** A part of a file: its first byte is at `start`; `total` is the size of the file. */
type FilePart = { bytes: Blob; start: number; total: number; signal?: AbortSignal };

const NDJSON_HEADERS = { "Content-Type": "application/x-ndjson" };

const WAITING_HEADERS = { ...NDJSON_HEADERS, Prefer: "wait=20" };

const partRequest = ({ bytes, start, total, signal }: FilePart) => ({
  method: "POST" as const,
  raw: bytes,
  headers: { ...NDJSON_HEADERS, "Content-Range": `bytes ${start}-${start + bytes.size - 1}/${total}` },
  signal,
});

export const importsApi = {
  /** Sends the first part of an export file. Sent again with the same key, it starts over. */
  start: (part: FilePart, query: { mode: ImportMode; dry_run: boolean }, idempotencyKey: string) =>
    request<Import>("/api/import", { ...partRequest(part), query, idempotencyKey }),
  /** Sends another part, starting at byte `received`. */
  sendPart: (id: string, part: FilePart) => request<Import>(`/api/import/${id}`, partRequest(part)),
  /** Applies a completely received file. Answers when done, or after 20 seconds. Throws 400, 404. */
  apply: (id: string, signal?: AbortSignal) =>
    request<Import>(`/api/import/${id}`, { method: "POST", raw: "", headers: WAITING_HEADERS, signal }),
  list: (query: Query<typeof imports.ImportListQuery> = {}) =>
    get<Answer<typeof imports.ImportList>>("/api/import", query),
  get: (id: string, signal?: AbortSignal) => get<Import>(`/api/import/${id}`, undefined, signal),
  remove: (id: string) => remove(`/api/import/${id}`),
};
