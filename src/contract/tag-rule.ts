import { nameKey, normalizeName } from "./name-key.ts";
import { isStorable } from "./storable.ts";

/** Maximum number of tags per document, and UTF-16 code units per tag. */
export const MAX_TAGS = 50;
export const MAX_TAG_LENGTH = 64;

/** Whether a tag cannot be a segment of a URL path. */
export const isDotSegment = (tag: string) => tag === "." || tag === "..";

/** Whether the service accepts a text as a tag: the rule of its schema, for clients without the schema. */
export function isTag(text: string): boolean {
  const tag = normalizeName(text);
  return tag !== "" && tag.length <= MAX_TAG_LENGTH && isStorable(tag) && !isDotSegment(tag);
}

export type TagChange = { add_tags?: string[] | undefined; remove_tags?: string[] | undefined };

/** The tags after a change, in order. Case is ignored: adding an existing tag keeps its spelling. */
export function applyTagChange(
  tags: readonly string[],
  { add_tags = [], remove_tags = [] }: TagChange,
): string[] {
  const removed = new Set(remove_tags);
  const inAnyCase = new Set(remove_tags.filter((tag) => !tags.includes(tag)).map(nameKey));
  const kept = tags.filter((tag) => !removed.has(normalizeName(tag)) && !inAnyCase.has(nameKey(tag)));
  const known = new Set(kept.map(nameKey));
  const added = add_tags.filter((tag) => !known.has(nameKey(tag)) && known.add(nameKey(tag)));
  return [...kept, ...added];
}
