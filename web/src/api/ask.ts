import type { z } from "zod";
import { untilAnswered } from "./persist.ts";
import { randomId } from "./random-id.ts";
import { isApiError, type Options, request } from "./request.ts";

// What the files beside this one share: each has the requests of one word after /api, with the types of what they send and
// get, taken from the service's own schemas. Nothing else in the app knows the API.

export type Answer<Schema extends z.ZodType> = z.output<Schema>;
export type Input<Schema extends z.ZodType> = z.input<Schema>;
/** The parameters of a list as a caller writes them. */
export type Query<Schema extends z.ZodType> = {
  [Name in keyof z.output<Schema>]?: z.output<Schema>[Name] | undefined;
};

/** Who gets the name of what a write changed. */
export type Named = Pick<Options, "changes">;

/** Which version a change is based on: it is refused with 412 if there is a newer one. */
export type Based = Named & Pick<Options, "version">;

export const get = <T>(path: string, query?: Options["query"], signal?: AbortSignal) =>
  request<T>(path, { query, signal });

/** Sent once, whatever becomes of it. */
export const post = <T>(path: string, body: unknown, more: Partial<Options> = {}) =>
  request<T>(path, { ...more, method: "POST", body });

/** Carried out once, under a key of its own: it is sent until it is answered. */
export function postOnce<T>(path: string, body: unknown, more: Partial<Options> = {}): Promise<T> {
  const idempotencyKey = randomId();
  return untilAnswered(() => post<T>(path, body, { ...more, idempotencyKey }));
}

/** Sets fields to what they are to be, however often it is sent: until it is answered. */
export const change = <T>(
  method: "PUT" | "PATCH",
  path: string,
  body: unknown,
  more: Partial<Options> = {},
) => untilAnswered(() => request<T>(path, { ...more, method, body }));

/** Deletes. What an attempt finds gone after one that was not answered, that one has deleted. */
export const remove = <T = void>(path: string, more: Partial<Options> = {}): Promise<T | undefined> =>
  untilAnswered((isRepeated) =>
    request<T>(path, { ...more, method: "DELETE" }).catch((problem: unknown) => {
      if (!isRepeated || !isApiError(problem, 404)) throw problem;
      return undefined;
    }),
  );
