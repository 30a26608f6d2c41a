import { toNfc } from "../../contract/name-key.ts";
import type { Steps } from "../../shared/text/steps.ts";
import type { StoredFolder } from "../documents/folder-path.ts";

/** Renames a folder, or merges it into a duplicate (`joins`). `top`: the topmost pair of duplicates that contains both. */
export type MergeStep =
  | { folder: StoredFolder; name: string }
  | { folder: StoredFolder; joins: StoredFolder; top: readonly StoredFolder[] };

type Tree = Map<string | null, StoredFolder[]>;
type MergePair = { from: StoredFolder; into: StoredFolder };

const childrenOf = (tree: Tree, id: string | null) => tree.get(id) ?? [];

/** Merges a folder into its duplicate, recursively: subfolders that both have are pairs too. Innermost pairs come last. */
function mergePairs(tree: Tree, top: MergePair): MergePair[] {
  const pairs = [top];
  for (const { from, into } of pairs) {
    const existing = new Map(
      childrenOf(tree, into.id)
        .toReversed()
        .map((one) => [toNfc(one.name), one]),
    );
    const alone = childrenOf(tree, from.id).filter((child) => {
      const duplicate = existing.get(toNfc(child.name));
      if (duplicate) pairs.push({ from: child, into: duplicate });
      return !duplicate;
    });
    tree.set(into.id, [
      ...childrenOf(tree, into.id),
      ...alone.map((one) => ({ ...one, parent_id: into.id })),
    ]);
  }
  return pairs;
}

/** The steps for sibling folders with the same name in NFC, oldest first. Adds the folders that stay to `stay`. */
function siblingSteps(
  tree: Tree,
  name: string,
  alike: readonly StoredFolder[],
  stay: (string | null)[],
): MergeStep[] {
  const decomposed = alike.filter((folder) => folder.name !== name);
  stay.push(...alike.flatMap((folder) => (folder.name === name ? folder.id : [])));
  const [first, ...others] = decomposed;
  if (!first) return [];
  const known = alike.find((folder) => folder.name === name);
  if (!known) stay.push(first.id);
  const into = known ?? { ...first, name };
  const merged = known ? decomposed : others;
  const joins = merged.flatMap((folder) =>
    mergePairs(tree, { from: folder, into })
      .reverse()
      .map((pair) => ({ folder: pair.from, joins: pair.into, top: [folder, into] })),
  );
  return known ? joins : [{ folder: first, name }, ...joins];
}

/**
 * The steps that convert all folder names to NFC and merge siblings whose names differ only in Unicode normalization.
 * `folders`: all of an account, oldest first. Siblings with identical names stay separate.
 */
export function* mergeSteps(folders: readonly StoredFolder[]): Steps<MergeStep[]> {
  const tree: Tree = Map.groupBy(folders, ({ parent_id }) => parent_id);
  const steps: MergeStep[] = [];
  const parents: (string | null)[] = [null];
  for (const parent of parents) {
    for (const [name, alike] of Map.groupBy(childrenOf(tree, parent), (one) => toNfc(one.name)))
      steps.push(...siblingSteps(tree, name, alike, parents));
    yield;
  }
  return steps;
}
