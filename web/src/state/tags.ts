import { isSameName } from "../../../src/contract/name-key.ts";

/** Compares tags as the server does, ignoring case. */
export const hasTag = (tags: readonly string[], tag: string): boolean =>
  tags.some((one) => isSameName(one, tag));
