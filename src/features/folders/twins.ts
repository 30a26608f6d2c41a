import { composed } from "../../contract/name-key.ts";
import type { Steps } from "../../contract/text/steps.ts";

/** A folder, as a step expects it. */
export type PlacedFolder = { id: string; name: string; parent_id: string | null };

/** A folder gets another name, or joins a twin: it is emptied into that. `top`: the twins that both are in, or are themselves. */
export type TwinStep =
  | { folder: PlacedFolder; name: string }
  | { folder: PlacedFolder; joins: PlacedFolder; top: readonly PlacedFolder[] };

type Tree = Map<string | null, PlacedFolder[]>;
type Pair = { from: PlacedFolder; into: PlacedFolder };

const inside = (tree: Tree, id: string | null) => tree.get(id) ?? [];

/** Lets what is in a folder join what is in its twin, folder by folder: those that both have are pairs, too, the innermost last. */
function pairsOf(tree: Tree, top: Pair): Pair[] {
  const pairs = [top];
  for (const { from, into } of pairs) {
    const twins = new Map(
      inside(tree, into.id)
        .toReversed()
        .map((one) => [composed(one.name), one]),
    );
    const alone = inside(tree, from.id).filter((child) => {
      const twin = twins.get(composed(child.name));
      if (twin) pairs.push({ from: child, into: twin });
      return !twin;
    });
    tree.set(into.id, [...inside(tree, into.id), ...alone.map((one) => ({ ...one, parent_id: into.id }))]);
  }
  return pairs;
}

/** What becomes of the folders at a place whose names are one in NFC, the older ones first; adds those that stay to `stay`. */
function stepsOf(
  tree: Tree,
  name: string,
  alike: readonly PlacedFolder[],
  stay: (string | null)[],
): TwinStep[] {
  const decomposed = alike.filter((folder) => folder.name !== name);
  stay.push(...alike.flatMap((folder) => (folder.name === name ? folder.id : [])));
  const [first, ...others] = decomposed;
  if (!first) return [];
  const known = alike.find((folder) => folder.name === name);
  if (!known) stay.push(first.id);
  const into = known ?? { ...first, name };
  const joining = known ? decomposed : others;
  const joins = joining.flatMap((folder) =>
    pairsOf(tree, { from: folder, into })
      .reverse()
      .map((pair) => ({ folder: pair.from, joins: pair.into, top: [folder, into] })),
  );
  return known ? joins : [{ folder: first, name }, ...joins];
}

/**
 * The steps after which the names of all folders are in NFC, and of those at one place whose names differ in their form only there
 * is one. `folders`: all of an account, the older ones first. Folders whose names are the same, or differ otherwise, stay.
 */
export function* twinSteps(folders: readonly PlacedFolder[]): Steps<TwinStep[]> {
  const tree: Tree = Map.groupBy(folders, ({ parent_id }) => parent_id);
  const steps: TwinStep[] = [];
  const places: (string | null)[] = [null];
  for (const place of places) {
    for (const [name, alike] of Map.groupBy(inside(tree, place), (one) => composed(one.name)))
      steps.push(...stepsOf(tree, name, alike, places));
    yield;
  }
  return steps;
}
