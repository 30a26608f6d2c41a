import type { z } from "zod";
import { type Options, request } from "./request.ts";

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
export const post = <T>(path: string, body: unknown, more: Partial<Options> = {}) =>
  request<T>(path, { ...more, method: "POST", body });
