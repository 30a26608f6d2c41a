import { isStorable } from "./storable.ts";

/** How many tags a document may have, and how many UTF-16 code units each. */
export const MAX_TAGS = 50;
export const MAX_TAG = 64;

/** Whether a tag could not be part of a URL's path. */
export const isDots = (tag: string) => tag === "." || tag === "..";

/** Whether the service takes a text as a tag: the rule of its schema, for clients that do without the schema. */
export function isTag(text: string): boolean {
  const tag = text.trim();
  return tag !== "" && tag.length <= MAX_TAG && isStorable(tag) && !isDots(tag);
}

/** Tags to add and to remove; one that is in both is added. */
export type TagChange = { add_tags?: string[] | undefined; remove_tags?: string[] | undefined };

/** The tags after a change of them, in their order. */
export const changedTags = (
  tags: readonly string[],
  { add_tags = [], remove_tags = [] }: TagChange,
): string[] => [...new Set([...tags.filter((tag) => !remove_tags.includes(tag)), ...add_tags])];
