import type { FieldValues } from "./content.ts";

const ALIASES = /^alias(?:es)?$/i;
const MAX_ALIAS = 500;

function namesIn(value: unknown): unknown[] {
  if (typeof value === "string") return value.split(",");
  return Array.isArray(value) ? value : [];
}

/** The other names of a document, in `aliases` of its properties. */
export const aliasesIn = (fields: FieldValues): string[] =>
  Object.entries(fields)
    .filter(([name]) => ALIASES.test(name))
    .flatMap(([, value]) => namesIn(value))
    .filter((name) => typeof name === "string" && name.length <= MAX_ALIAS)
    .map(String);
