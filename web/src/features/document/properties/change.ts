import type { FieldValues } from "../../../../../src/shared/files/content.ts";

/** `typed`: the value as the user typed it. `was`: the field's text before editing. */
export type PropertyChange = { name: string } & (
  | { kind: "add"; value: unknown; typed: string }
  | { kind: "set"; value: unknown; typed: string; was: string }
  | { kind: "rename"; to: string }
  | { kind: "remove" }
);

const changeEntry = (entry: [string, unknown], change: PropertyChange): [string, unknown][] => {
  if (entry[0] !== change.name) return [entry];
  if (change.kind === "remove") return [];
  return change.kind === "rename" ? [[change.to, entry[1]]] : [[change.name, change.value]];
};

/** The properties after a change, in the same order. */
export function applyPropertyChange(fields: FieldValues, change: PropertyChange): FieldValues {
  const entries = Object.entries(fields).flatMap((entry) => changeEntry(entry, change));
  if (change.kind === "add") entries.push([change.name, change.value]);
  return Object.fromEntries(entries);
}

/** Whether two values are equal, including the order of their fields. */
export const isSameValue = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Names that front matter uses for something that a document stores elsewhere, and why they cannot be used. */
const RESERVED_NAMES: Record<string, string> = {
  title: "Edit the title above the text instead",
  tags: "Add tags under Tags instead",
  commonplace: "This name is reserved for imports",
  created_at: "The creation date is under Facts",
  updated_at: "The date of the last change is under Facts",
};

const MAX_NAME = 200;

/** Why a property name is invalid. `taken`: names of the others. `isInText`: it is in front matter, where any name is allowed. */
export function propertyNameProblem(
  name: string,
  taken: readonly string[],
  isInText: boolean,
): string | undefined {
  if (name === "") return "Enter a name";
  if (name.length > MAX_NAME) return `A name can have at most ${MAX_NAME} characters`;
  if (taken.includes(name)) return `“${name}” already exists`;
  return isInText || !Object.hasOwn(RESERVED_NAMES, name) ? undefined : RESERVED_NAMES[name];
}
