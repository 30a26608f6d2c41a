import { createHash } from "node:crypto";

/**
 * The replacement id for a record whose own id is taken: a UUID derived from the id and the salt (RFC 9562, version 8).
 * Being deterministic, it needs no stored mapping to resolve references.
 *
 * @param salt the user, to get the same copy from every import, or the import, to get a new copy each time
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

/** The replacement number for a record, derived in the same way: a safe integer, `first` or higher. */
export function remapNumber(salt: string, id: number, first: number): number {
  const hex = createHash("sha256").update(`${salt}:memory:${id}`).digest("hex");
  return first + Number.parseInt(hex.slice(0, 13), 16);
}
