import { Buffer } from "node:buffer";
import type { z } from "zod";
import { invalid } from "../core/errors.ts";

// Where a page ends: the values by which its list is sorted. Clients are not meant to look into a cursor, but can make one
// up, so it is validated like any other input.

type Value = string | number | null;

/** A cursor with these values. `list` names the list that it belongs to. */
export const writeCursor = (list: string, values: Value[]): string =>
  Buffer.from(JSON.stringify([list, ...values])).toString("base64url");

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
}

/**
 * The values of a cursor. Throws 422 for one that was not written for this list.
 *
 * @param values what the list's cursors contain
 */
export function readCursor<Values extends z.ZodType>(
  list: string,
  cursor: string,
  values: Values,
): z.infer<Values> {
  const read = parsed(cursor);
  if (Array.isArray(read) && read[0] === list) {
    const { success, data } = values.safeParse(read.slice(1));
    if (success) return data;
  }
  throw invalid("cursor: is not one that this list has returned: leave it out to start again");
}
