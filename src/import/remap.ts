import { createHash } from "node:crypto";

/**
 * The id that a record gets where its own is taken: a UUID made of both (RFC 9562, version 8), always the same for
 * the same salt. So nothing has to be remembered to find the record that a reference means.
 *
 * @param salt whose copy it is: the user for one that is made once, the import for one that is made each time
 */
export function remap(salt: string, kind: string, id: string): string {
  const hex = createHash("sha256").update(`${salt}:${kind}:${id}`).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join("-");
}

/** The number that a record gets where its own is taken, in the same way: a safe integer, `first` or higher. */
export function remapNumber(salt: string, id: number, first: number): number {
  const hex = createHash("sha256").update(`${salt}:memory:${id}`).digest("hex");
  return first + Number.parseInt(hex.slice(0, 13), 16);
}
