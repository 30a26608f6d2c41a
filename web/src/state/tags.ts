import { isSameName } from "../../../src/contract/name-key.ts";

/** Whether a tag is among these, in whatever case, as the service compares them. */
export const hasTag = (tags: readonly string[], tag: string): boolean =>
  tags.some((one) => isSameName(one, tag));
