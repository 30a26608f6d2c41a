import { createHash } from "node:crypto";

/**
 * A UUID derived from an id and a salt (RFC 9562, version 8), so that no mapping has to be stored. With the user as salt, every
 * import creates the same copy; with the import as salt, a new one.
 */
export function remapId(salt: string, kind: string, id: string): string {
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

/** The replacement number for a record, derived in the same way: a safe integer from `first` on. */
export function remapNumber(salt: string, id: number, first: number): number {
  const hex = createHash("sha256").update(`${salt}:memory:${id}`).digest("hex");
  return first + Number.parseInt(hex.slice(0, 13), 16);
}
