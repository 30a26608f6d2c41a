import { Buffer } from "node:buffer";
import type { z } from "zod";
import { unprocessable } from "../core/errors.ts";

// A cursor has the sort values of the last row of a page. Clients can forge one, so it is validated like any other input.

type Value = string | number | null;

export const encodeCursor = (list: string, values: Value[]): string =>
  Buffer.from(JSON.stringify([list, ...values])).toString("base64url");

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
}

/** Throws 422 for a cursor of another list, or without the `values` of this one. */
export function decodeCursor<Values extends z.ZodType>(
  list: string,
  cursor: string,
  values: Values,
): z.infer<Values> {
  const read = parsed(cursor);
  if (Array.isArray(read) && read[0] === list) {
    const { success, data } = values.safeParse(read.slice(1));
    if (success) return data;
  }
  throw unprocessable("cursor: was not returned by this list: leave it out to start again");
}
