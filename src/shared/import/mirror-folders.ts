import { type FolderTree, folderPathKey } from "./folders.ts";
import { type ImportedDocument, type ImportMark, isOldMark, type PlannedItem } from "./imported.ts";
import type { ImportItem, ImportTarget } from "./item.ts";

export type FolderMove = { id: string; from: string[]; to: string[] };

type Place = { tree: FolderTree; target: ImportTarget };

function neededFolders(items: Iterable<ImportItem>, { folders }: ImportTarget): Map<string, string[]> {
  const needed = new Map<string, string[]>();
  const add = (path: string[]) => {
    for (let length = path.length; length > 0; length--)
      needed.set(folderPathKey(path.slice(0, length)), path.slice(0, length));
  };
  add(folders);
  for (const item of items) add(item.folders);
  return needed;
}

const countShared = (documents: ImportedDocument[], contents: Set<number>) =>
  documents.filter(({ mark }) => !isOldMark(mark) && contents.has(mark.content)).length;

/** Finds renamed folders and updates the tree: a new folder with at least half of the documents of a missing one. */
export function findFolderRenames(
  marks: Map<ImportItem, ImportMark>,
  documents: ImportedDocument[],
  { tree, target }: Place,
): FolderMove[] {
  const onDisk = neededFolders(marks.keys(), target);
  const items = Map.groupBy(marks.keys(), ({ folders }) => folderPathKey(folders));
  // The top level has an empty path and is therefore never renamed.
  const inFolder = Map.groupBy(documents, ({ folder_id }) => folder_id ?? "");
  const moves: FolderMove[] = [];
  for (const [key, to] of [...onDisk].sort(([, a], [, b]) => a.length - b.length)) {
    if (to.length <= target.folders.length || tree.idOf(to) !== undefined) continue;
    const contents = new Set((items.get(key) ?? []).map((item) => marks.get(item)?.content ?? 0));
    const gone = [...inFolder].filter(
      ([id]) => tree.pathOf(id).length > target.folders.length && !onDisk.has(folderPathKey(tree.pathOf(id))),
    );
    const scored = gone.map(([id, folderDocuments]) => ({
      id,
      share: countShared(folderDocuments, contents) / folderDocuments.length,
    }));
    const [best] = scored.sort((a, b) => b.share - a.share);
    if (!best || best.share < 0.5) continue;
    moves.push({ id: best.id, from: tree.pathOf(best.id), to });
    tree.setPath(best.id, to);
  }
  return moves;
}

type Outcome = { steps: PlannedItem[]; trash: ImportedDocument[]; items: ImportItem[] };

const leavingDocuments = ({ steps, trash }: Outcome, tree: FolderTree): ImportedDocument[] => [
  ...trash,
  ...steps.flatMap((step) =>
    "document" in step && tree.idOf(step.item.folders) !== step.document.folder_id ? [step.document] : [],
  ),
];

/**
 * Folders that are not on disk and will be empty, innermost first. Without a target folder, only those that the import
 * empties.
 */
export function findEmptyFolders(outcome: Outcome, { tree, target }: Place) {
  const left = new Map(tree.counts);
  const emptied = new Set<string>();
  for (const { folder_id } of leavingDocuments(outcome, tree)) {
    if (folder_id === null) continue;
    left.set(folder_id, (left.get(folder_id) ?? 0) - 1);
    emptied.add(folderPathKey(tree.pathOf(folder_id)));
  }
  const isOurs = (id: string, path: string[]) =>
    target.folders.length > 0
      ? path.length > target.folders.length && tree.isBelow(id, target.folders)
      : emptied.has(folderPathKey(path));
  const staying = new Set(neededFolders(outcome.items, target).keys());
  const deepestFirst = tree.entries().sort(([, a], [, b]) => b.length - a.length);
  return deepestFirst.flatMap(([id, path]) => {
    const parent = folderPathKey(path.slice(0, -1));
    const isRemoved = isOurs(id, path) && left.get(id) === 0 && !staying.has(folderPathKey(path));
    (isRemoved ? emptied : staying).add(parent);
    return isRemoved ? [{ id, path }] : [];
  });
}
