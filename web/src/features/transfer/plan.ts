import { tagsOf } from "../../../../src/contract/files/said.ts";
import type { FolderTree } from "../../../../src/contract/import/folders.ts";
import type { Imported } from "../../../../src/contract/import/imported.ts";
import type { FileIds, Found, Item, Refusal, Target } from "../../../../src/contract/import/item.ts";
import { fitTags } from "../../../../src/contract/import/markdown.ts";
import { type Plan, planImport } from "../../../../src/contract/import/plan.ts";
import { tally } from "../../../../src/contract/import/words.ts";
import { groupsOf, operationOf, trashOperation } from "../../../../src/contract/import/write.ts";
import type { Job, Queued } from "./queue.ts";

// Plans what to write, from the files that were read.

/** The state of the account before an import. */
export type Account = { imported: Imported[]; tree: FolderTree; now: Date };

/** Parses the folder path and the tags that the user typed. */
export const targetOf = (folder: string, tags: string): Target => ({
  folders: folder
    .split("/")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
  tags: tagsOf(tags.split(",")),
});

function applyTarget(item: Item, target: Target): Item {
  const notes = [...item.notes];
  const tags = target.tags.length > 0 ? fitTags([...target.tags, ...item.tags], notes) : item.tags;
  return { ...item, folders: [...target.folders, ...item.folders], tags, notes };
}

/** What an import into the account would do. */
export const planFor = (found: readonly Found[], { imported, tree }: Account, target: Target): Plan =>
  planImport(
    found.map((one) => ("title" in one ? applyTarget(one, target) : one)),
    { imported, tree },
    { target, mirror: false, source: "" },
  );

export type Summary = {
  created: string[];
  updated: string[];
  moved: string[];
  trashed: string[];
  folders: string[];
  skipped: string[];
  leftOut: { where: string; leftOut: string }[];
  refused: Refusal[];
  notes: Refusal[];
  /** The number of documents to write. */
  writes: number;
};

/** The paths of missing folders, including missing parents. */
function newFolders(plan: Plan, tree: FolderTree): string[] {
  const paths = new Map<string, string>();
  for (const step of plan.steps) {
    if (step.kind === "skip") continue;
    const { folders } = step.item;
    for (let length = folders.length; length > 0; length--) {
      const path = folders.slice(0, length);
      const key = JSON.stringify(path);
      if (paths.has(key) || tree.idOf(path) !== undefined) break;
      paths.set(key, path.join(" / "));
    }
  }
  return [...paths.values()].sort();
}

/** The line of an item: its path and its title. */
const itemLine = ({ where, title }: Item) => `${where} – ${title}`;

/** Summarizes a plan for display. */
export function summarize(plan: Plan, { tree }: Account): Summary {
  const linesOfKinds = (...kinds: string[]) =>
    plan.steps.filter(({ kind }) => kinds.includes(kind)).map(({ item }) => itemLine(item));
  const notes = plan.steps.flatMap(({ item }) => item.notes.map((why) => ({ where: item.where, why })));
  const lists = {
    created: linesOfKinds("create"),
    updated: linesOfKinds("update", "edited"),
    moved: linesOfKinds("moved"),
  };
  const trashed = plan.trash.map(({ title }) => title);
  return {
    ...lists,
    trashed,
    folders: newFolders(plan, tree),
    skipped: linesOfKinds("skip"),
    leftOut: plan.leftOut,
    refused: plan.refused,
    notes,
    writes: Object.values(lists).reduce((sum, list) => sum + list.length, trashed.length),
  };
}

/** Placeholder with the length of a folder id, to calculate batch sizes; replaced when the batch is sent. */
const PLACEHOLDER_ID = "00000000-0000-0000-0000-000000000000";

/** Splits the operations of a plan into batches that fit in a request. */
export function batchesOf(plan: Plan, { now }: Account, ids: FileIds): Queued[][] {
  const written = plan.steps.flatMap((step): Queued[] => {
    const operation = operationOf(step, { folder_id: PLACEHOLDER_ID, now, ids });
    return operation ? [{ ...operation, title: step.item.title, folders: step.item.folders }] : [];
  });
  const trashed = plan.trash.map((document) => ({
    ...trashOperation(document),
    title: document.title,
    folders: [],
  }));
  return [...groupsOf([...written, ...trashed])];
}

/** A new job for batches. */
export const jobFor = (summary: Summary, batches: Queued[][], id: string): Job => ({
  id,
  state: "running",
  batches: batches.length,
  next: 0,
  done: 0,
  total: batches.flat().length,
  counts: { created: 0, updated: 0, trashed: 0 },
  // A document whose only change is a file that could not be uploaded is not written.
  skipped: summary.skipped.length + summary.writes - batches.flat().length,
  leftOut: tally(summary.leftOut.map(({ leftOut }) => leftOut)),
  refused: summary.refused.map(({ where, why }) => ({ where, why })),
  notes: summary.notes,
  folderIds: {},
  documents: [],
});
