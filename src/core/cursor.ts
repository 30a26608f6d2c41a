import { Buffer } from "node:buffer";
import { invalid } from "./errors.ts";

// Where a page ends: the values by which its list is sorted, opaque to clients.

type Value = string | number | null;

/** A cursor with these values. `list` names the list that it belongs to. */
export const writeCursor = (list: string, values: Value[]): string =>
  Buffer.from(JSON.stringify([list, ...values])).toString("base64url");

const isValue = (value: unknown): value is Value =>
  value === null || typeof value === "string" || Number.isSafeInteger(value);

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    return undefined;
  }
}

/** The values of a cursor. Throws 422 for one that was not written for this list. */
export function readCursor(list: string, cursor: string): Value[] {
  const read = parsed(cursor);
  if (!Array.isArray(read) || read[0] !== list || !read.every(isValue))
    throw invalid("cursor: is not one that this list has returned: leave it out to begin anew");
  return read.slice(1);
}
