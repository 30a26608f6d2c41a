import { distance } from "fastest-levenshtein";
import { nameKey } from "./name-key.ts";

/** Maximum number and length of the names compared. */
const MAX_COMPARED = 1000;
const MAX_LENGTH = 60;

/** The name most similar to the requested one, with errors in at most two of five letters; undefined if there is none. */
export function mostSimilarName(names: readonly string[], requested: string): string | undefined {
  if (requested.length > MAX_LENGTH) return undefined;
  const key = nameKey(requested);
  const distances = names
    .slice(0, MAX_COMPARED)
    .filter((name) => name.length <= MAX_LENGTH)
    .map((name) => ({ name, errors: distance(nameKey(name), key) }));
  const [nearest] = distances.sort((a, b) => a.errors - b.errors);
  return nearest && nearest.errors <= (key.length + 1) / 2.5 ? nearest.name : undefined;
}
