import type { Fields } from "../../../../../src/contract/files/content.ts";

// What a person does to one property of a document.

export type Property = { name: string; value: unknown };

/** `typed` is how the value was written, and `was` what its field began with. */
export type Change = { name: string } & (
  | { kind: "add"; value: unknown; typed: string }
  | { kind: "set"; value: unknown; typed: string; was: string }
  | { kind: "rename"; to: string }
  | { kind: "remove" }
);

const changedEntry = (entry: [string, unknown], change: Change): [string, unknown][] => {
  if (entry[0] !== change.name) return [entry];
  if (change.kind === "remove") return [];
  return change.kind === "rename" ? [[change.to, entry[1]]] : [[change.name, change.value]];
};

/** The properties after a change, in their order. */
export function changedFields(fields: Fields, change: Change): Fields {
  const entries = Object.entries(fields).flatMap((entry) => changedEntry(entry, change));
  if (change.kind === "add") entries.push([change.name, change.value]);
  return Object.fromEntries(entries);
}

/** Whether two values are the same, with the order of their fields. */
export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** What front matter has besides properties: a document keeps it elsewhere, and an import reads it from there. */
const KEPT_ELSEWHERE: Record<string, string> = {
  title: "The title stands above the text",
  tags: "Tags are kept beside the text, under Tags",
  commonplace: "This name is the import’s own",
  created_at: "When it was created is kept under Facts",
  updated_at: "When it was changed is kept under Facts",
};

const MAX_NAME = 200;

/**
 * Why a property cannot have this name; undefined if it can.
 *
 * @param taken the names of the other properties
 * @param isInText whether it is written in the text, where every name may be
 */
export function refusalOf(name: string, taken: readonly string[], isInText: boolean): string | undefined {
  if (name === "") return "Give it a name";
  if (name.length > MAX_NAME) return `A name has at most ${MAX_NAME} characters`;
  if (taken.includes(name)) return `There is “${name}” already`;
  return isInText || !Object.hasOwn(KEPT_ELSEWHERE, name) ? undefined : KEPT_ELSEWHERE[name];
}
