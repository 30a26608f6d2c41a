import { type Imported, type Mark, markOf } from "./imported.ts";
import { type Found, type Item, isRefusal, type Refusal } from "./item.ts";

/** What has to be done with an item. */
export type Step = { item: Item; mark: Mark } & (
  | { kind: "create" }
  /** The source has changed. */
  | { kind: "update"; id: string }
  /** The same document from another place: only its mark changes. */
  | { kind: "move"; id: string }
  | { kind: "skip" }
);

export type Plan = { steps: Step[]; refused: Refusal[] };

type Marked = { item: Item; mark: Mark };

/** Sets aside what the source has twice: an id must not stand for two documents. */
function withoutRepetitions(found: Iterable<Found>) {
  const refused: Refusal[] = [];
  const repeated: Step[] = [];
  const first = new Map<number, Marked>();
  for (const item of found) {
    if (isRefusal(item)) {
      refused.push(item);
      continue;
    }
    const mark = markOf(item);
    const earlier = first.get(mark.origin);
    if (!earlier) first.set(mark.origin, { item, mark });
    else if (earlier.mark.checksum === mark.checksum) repeated.push({ item, mark, kind: "skip" });
    else refused.push({ where: item.where, why: `has the same id as ${earlier.item.where}` });
  }
  return { marked: [...first.values()], repeated, refused };
}

/**
 * Decides what to do with each item, given what earlier imports wrote. A document is known by where it came
 * from; when it comes from nowhere known, an equal document whose own source is not in this import is it.
 */
export function planImport(found: Iterable<Found>, imported: Imported[]): Plan {
  const { marked, repeated, refused } = withoutRepetitions(found);
  const present = new Set(marked.map(({ mark }) => mark.origin));
  const byOrigin = new Map(imported.map((document) => [document.origin, document]));
  const orphans = new Map(
    imported.filter(({ origin }) => !present.has(origin)).map((document) => [document.checksum, document.id]),
  );
  const steps = marked.map(({ item, mark }): Step => {
    const known = byOrigin.get(mark.origin);
    if (known?.checksum === mark.checksum) return { item, mark, kind: "skip" };
    if (known) return { item, mark, kind: "update", id: known.id };
    const orphan = orphans.get(mark.checksum);
    if (orphan === undefined) return { item, mark, kind: "create" };
    orphans.delete(mark.checksum);
    return { item, mark, kind: "move", id: orphan };
  });
  return { steps: [...steps, ...repeated], refused };
}
