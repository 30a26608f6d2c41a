import { parseTags } from "../../../../src/shared/files/note-metadata.ts";
import type { FolderTree } from "../../../../src/shared/import/folders.ts";
import type { ImportedDocument } from "../../../../src/shared/import/imported.ts";
import type {
  FileIds,
  FoundEntry,
  ImportItem,
  ImportProblem,
  ImportTarget,
} from "../../../../src/shared/import/item.ts";
import { fitTags } from "../../../../src/shared/import/markdown.ts";
import { type ImportPlan, planImport } from "../../../../src/shared/import/plan.ts";
import { tallyReasons } from "../../../../src/shared/import/tally.ts";
import { documentOperation, operationGroups, trashOperation } from "../../../../src/shared/import/write.ts";
import type { ImportCounts, ImportJob, QueuedOperation } from "./queue.ts";

// Plans what to write, from the files that were read.

/** The state of the account before an import. */
export type AccountSnapshot = { imported: ImportedDocument[]; tree: FolderTree; now: Date };

/** Parses the folder path and the tags that the user typed. */
export const parseTarget = (folder: string, tags: string): ImportTarget => ({
  folders: folder
    .split("/")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
  tags: parseTags(tags.split(",")),
});

function applyTarget(item: ImportItem, target: ImportTarget): ImportItem {
  const notes = [...item.notes];
  const tags = target.tags.length > 0 ? fitTags([...target.tags, ...item.tags], notes) : item.tags;
  return { ...item, folders: [...target.folders, ...item.folders], tags, notes };
}

export const planAccountImport = (
  found: readonly FoundEntry[],
  { imported, tree }: AccountSnapshot,
  target: ImportTarget,
): ImportPlan =>
  planImport(
    found.map((one) => ("title" in one ? applyTarget(one, target) : one)),
    { imported, tree },
    { target, mirror: false, source: "" },
  );

type SummaryList = "created" | "updated" | "moved" | "renamed" | "trashed" | "folders" | "files" | "skipped";
export type ImportSummary = Record<SummaryList, string[]> & {
  leftOut: { where: string; leftOut: string }[];
  refused: ImportProblem[];
  notes: ImportProblem[];
  /** The number of documents to write. */
  writes: number;
};

/** The paths of missing folders, including missing parents. */
function newFolders(plan: ImportPlan, tree: FolderTree): string[] {
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

const filesOf = ({ files }: ImportItem) => [...(files?.named.values() ?? []), ...(files?.attached ?? [])];

const itemLine = ({ where, title }: ImportItem) => `${where} – ${title}`;

export function summarizePlan(plan: ImportPlan, { tree }: AccountSnapshot): ImportSummary {
  const linesOfKinds = (...kinds: string[]) =>
    plan.steps.filter(({ kind }) => kinds.includes(kind)).map(({ item }) => itemLine(item));
  /** A file with a new name counts as moved, also in the same folder. */
  const movedLines = (isRenamed: boolean) =>
    plan.steps.flatMap((step) =>
      step.kind === "moved" && (tree.idOf(step.item.folders) === step.document.folder_id) === isRenamed
        ? [itemLine(step.item)]
        : [],
    );
  const notes = plan.steps.flatMap(({ item }) => item.notes.map((why) => ({ where: item.where, why })));
  const lists = {
    created: linesOfKinds("create"),
    updated: linesOfKinds("update", "edited"),
    moved: movedLines(false),
    renamed: movedLines(true),
  };
  const trashed = plan.trash.map(({ title }) => title);
  return {
    ...lists,
    trashed,
    folders: newFolders(plan, tree),
    files: [...new Set(plan.steps.flatMap(({ kind, item }) => (kind === "skip" ? [] : filesOf(item))))],
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
export function planBatches(plan: ImportPlan, { now }: AccountSnapshot, ids: FileIds): QueuedOperation[][] {
  const written = plan.steps.flatMap((step): QueuedOperation[] => {
    const operation = documentOperation(step, { folder_id: PLACEHOLDER_ID, now, ids });
    return operation ? [{ ...operation, title: step.item.title, folders: step.item.folders }] : [];
  });
  const trashed = plan.trash.map((document) => ({
    ...trashOperation(document),
    title: document.title,
    folders: [],
  }));
  return [...operationGroups([...written, ...trashed])];
}

export const newImportJob = (
  summary: ImportSummary,
  batches: QueuedOperation[][],
  { id, ...before }: { id: string } & Required<Pick<ImportCounts, "files" | "records">>,
): ImportJob => ({
  id,
  state: "running",
  batches: batches.length,
  next: 0,
  done: 0,
  total: batches.flat().length,
  counts: { created: 0, updated: 0, trashed: 0, ...before },
  // A document whose only change is a file that could not be uploaded is not written.
  skipped: summary.skipped.length + summary.writes - batches.flat().length,
  leftOut: tallyReasons(summary.leftOut.map(({ leftOut }) => leftOut)),
  refused: summary.refused.map(({ where, why }) => ({ where, why })),
  notes: summary.notes,
  folderIds: {},
  documents: [],
});
