import type { z } from "zod";
import { randomId } from "./random-id.ts";
import { isApiError, type RequestOptions, request } from "./request.ts";
import { retryUntilAnswered } from "./retry.ts";

// Shared by the files in this folder. Each has the requests of one resource under /api, with types derived from the server's
// schemas. No other part of the app calls the API.

export type Answer<Schema extends z.ZodType> = z.output<Schema>;
export type Input<Schema extends z.ZodType> = z.input<Schema>;
/** The query parameters of a list, all optional. */
export type Query<Schema extends z.ZodType> = {
  [Name in keyof z.output<Schema>]?: z.output<Schema>[Name] | undefined;
};

/** Collects the change id of a write. */
export type TrackedWrite = Pick<RequestOptions, "changes">;

/** `version`: the version a change is based on; rejected with 412 if there is a newer one. */
export type VersionedWrite = TrackedWrite & Pick<RequestOptions, "version">;

export const get = <T>(path: string, query?: RequestOptions["query"], signal?: AbortSignal) =>
  request<T>(path, { query, signal });

/** Sends the request without retries. */
export const post = <T>(path: string, body: unknown, more: Partial<RequestOptions> = {}) =>
  request<T>(path, { ...more, method: "POST", body });

/** Retried until it is answered, with an Idempotency-Key so that it is applied once. */
export function postWithRetry<T>(
  path: string,
  body: unknown,
  more: Partial<RequestOptions> = {},
): Promise<T> {
  const idempotencyKey = randomId();
  return retryUntilAnswered(() => post<T>(path, body, { ...more, idempotencyKey }));
}

/** An idempotent update: retried until it is answered. */
export const update = <T>(
  method: "PUT" | "PATCH",
  path: string,
  body: unknown,
  more: Partial<RequestOptions> = {},
) => retryUntilAnswered(() => request<T>(path, { ...more, method, body }));

/** Retried until it is answered. A 404 on a retry means that an earlier attempt succeeded. */
export const remove = <T = void>(path: string, more: Partial<RequestOptions> = {}): Promise<T | undefined> =>
  retryUntilAnswered((isRepeated) =>
    request<T>(path, { ...more, method: "DELETE" }).catch((problem: unknown) => {
      if (!isRepeated || !isApiError(problem, 404)) throw problem;
      return undefined;
    }),
  );
