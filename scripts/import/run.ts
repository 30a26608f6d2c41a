import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Import } from "../../src/contract/import-state.ts";
import { type AccountExport, importAccount } from "../../src/shared/import/account.ts";
import { readExistingFilesFor, uploadItemFiles, withoutFiles } from "../../src/shared/import/attachments.ts";
import { RequestRejectedError } from "../../src/shared/import/client.ts";
import type { FileEntries, TaskFileSource } from "../../src/shared/import/entries.ts";
import { FolderTree, folderWriter } from "../../src/shared/import/folders.ts";
import { type PlannedItem, readImportedDocuments } from "../../src/shared/import/imported.ts";
import type {
  FileIds,
  FoundEntry,
  ImportProblem,
  ImportTarget,
  SkippedEntry,
} from "../../src/shared/import/item.ts";
import { type ImportPlan, planImport } from "../../src/shared/import/plan.ts";
import { importExportFile, readTasksFor } from "../../src/shared/import/records/import-tasks.ts";
import type { TaskFile } from "../../src/shared/import/records/read-tasks.ts";
import type { ExistingFiles } from "../../src/shared/import/upload.ts";
import {
  type DocumentOperation,
  documentOperation,
  operationGroups,
  trashOperation,
  writeOperations,
} from "../../src/shared/import/write.ts";
import { type AccountLogin, type SignedInClient, withClient } from "../common/client.ts";
import { createProgress } from "../common/progress.ts";
import { type ImportSource, type OpenedSource, openSource } from "./source.ts";

type ImportSettings = {
  target: ImportTarget;
  mirror: boolean;
  /** Called before a mirror writes: shows the plan and returns whether to continue. */
  confirm: (plan: ImportPlan) => Promise<boolean>;
};

/** Tasks of other programs, converted to an export file, and what the service imported of it. */
export type TaskImportResult = { read: TaskFile; done: Import };

export type AccountImportResult = Awaited<ReturnType<typeof importAccount>>;

export type ImportResult = {
  created: number;
  updated: number;
  /** Number of linked files that were uploaded or already existed. */
  files: number;
  trashed: number;
  skipped: number;
  refused: ImportProblem[];
  leftOut: SkippedEntry[];
  notes: { where: string; note: string }[];
  tasks?: TaskImportResult;
  stopped?: string;
  /** Set if the plan was only shown, or if the user declined it. */
  declined?: true;
};

/** Throws unless the whole folder was listed, because a mirror moves documents without a file to the trash. */
function requireListing(found: FoundEntry[], { path, isFolder }: ImportSource): void {
  if (!isFolder) throw new Error("--mirror needs a folder");
  const unlisted = found.find((one) => "why" in one && one.path?.endsWith("/"));
  if (unlisted)
    throw new Error(
      `${unlisted.where} cannot be listed, so nothing was changed: a mirror needs the whole folder`,
    );
  if (!found.some((one) => "title" in one))
    throw new Error(
      `There are no readable texts in ${path}, so nothing was changed: an empty folder is not mirrored`,
    );
}

/** The operations of all steps. If the service rejects a folder, its documents are rejected. */
async function planOperations(
  steps: PlannedItem[],
  client: SignedInClient,
  { writer, result, ids }: WriteContext,
): Promise<DocumentOperation[]> {
  const operations: DocumentOperation[] = [];
  for (const step of steps) {
    if (step.kind === "skip") continue;
    try {
      const folder_id = await writer.ensure(step.item.folders);
      const operation = documentOperation(step, { folder_id, now: client.signedInAt, ids });
      if (operation) operations.push(operation);
      else result.skipped++;
    } catch (problem) {
      if (!(problem instanceof RequestRejectedError)) throw problem;
      result.refused.push({ where: step.item.where, why: `its folder: ${problem.message}` });
    }
  }
  return operations;
}

type WriteContext = { writer: ReturnType<typeof folderWriter>; result: ImportResult; ids: FileIds };

async function uploadFiles(
  client: SignedInClient,
  { steps }: ImportPlan,
  { entries, existingFiles }: LinkedFiles,
  result: ImportResult,
) {
  if (!existingFiles) return new Map<string, string>();
  const items = steps.flatMap(({ kind, item }) => (kind === "skip" ? [] : [item]));
  const { show, end } = createProgress("Uploading files");
  const { ids, refused } = await uploadItemFiles(client, items, {
    entries,
    existingFiles,
    onProgress: show,
  }).finally(end);
  result.refused.push(...refused);
  result.files = ids.size;
  return ids;
}

type LinkedFiles = { entries: FileEntries; existingFiles: ExistingFiles | undefined };

/** Writes in groups. `result` counts what was written, even if it stops early. */
async function writeAll(
  client: SignedInClient,
  operations: readonly DocumentOperation[],
  result: ImportResult,
): Promise<void> {
  const { show, end } = createProgress("Importing");
  let done = 0;
  try {
    for (const group of operationGroups(operations)) {
      const written = await writeOperations(client, group);
      for (const [index, { where, body }] of group.entries()) {
        const why = written[index]?.why;
        if (why !== undefined) result.refused.push({ where, why });
        else result[COUNTER_BY_OPERATION[body.operation]]++;
      }
      done += group.length;
      show(done, operations.length);
    }
  } finally {
    end();
  }
}

/** Executes a plan. `result` says what was done, even if it stops early. */
async function executePlan(
  client: SignedInClient,
  plan: ImportPlan,
  { tree, files }: { tree: FolderTree; files: LinkedFiles },
  result: ImportResult,
): Promise<void> {
  const ids = await uploadFiles(client, plan, files, result);
  const writing = { writer: folderWriter(client, tree), result, ids };
  for (const { id, to } of plan.renames) await writing.writer.rename(id, to);
  const operations = await planOperations(plan.steps, client, writing);
  // Deletions come last, so that everything on disk is in the account before anything is removed.
  const all = [...operations, ...plan.trash.map(trashOperation)];
  await writeAll(client, all, result);
  for (const { id } of plan.empty) await writing.writer.remove(id);
}

const COUNTER_BY_OPERATION = {
  create: "created",
  update: "updated",
  delete: "trashed",
} as const;

const hasNoChanges = ({ steps, renames, trash, empty }: ImportPlan) =>
  steps.every(({ kind }) => kind === "skip") && renames.length + trash.length + empty.length === 0;

/** Imports files of tasks as records, or with `dryRun` says what it would import. */
async function importTasks(
  client: SignedInClient,
  tasks: readonly TaskFileSource[],
  dryRun = false,
): Promise<TaskImportResult> {
  const read = await readTasksFor(client, tasks, client.signedInAt);
  return { read, done: await importExportFile(client, read.file, dryRun) };
}

/** Imports a file of tasks into an account. Throws if it has no tasks. */
export async function importTaskFile(
  path: string,
  account: AccountLogin,
  { dryRun }: { dryRun: boolean },
): Promise<TaskImportResult> {
  const tasks = [{ name: basename(path), bytes: await readFile(path) }];
  return withClient(account, (client) => importTasks(client, tasks, dryRun));
}

/** Imports a whole account into another one. Repeating it is safe: existing items are not changed. */
export const importAccountFiles = (
  whole: AccountExport,
  account: AccountLogin,
): Promise<AccountImportResult> =>
  withClient(account, (client) => {
    const { show, end } = createProgress("Uploading files");
    return importAccount(client, whole, show).finally(end);
  });

async function importInto(
  client: SignedInClient,
  opened: OpenedSource,
  source: ImportSource,
  settings: ImportSettings,
): Promise<ImportResult> {
  const { target, mirror } = settings;
  const reading = createProgress("Reading the account");
  const existingFiles = await readExistingFilesFor(client, opened.found);
  const found = existingFiles ? opened.found : withoutFiles(opened.found);
  const imported = await readImportedDocuments(client, reading.show).finally(reading.end);
  const tree = await FolderTree.read(client);
  const plan = planImport(found, { imported, tree }, { target, mirror, source: source.path });
  const notes = found.flatMap((one) =>
    "title" in one ? one.notes.map((note) => ({ where: one.where, note })) : [],
  );
  const skipped = plan.steps.filter(({ kind }) => kind === "skip").length;
  const { refused, leftOut } = plan;
  const result: ImportResult = {
    created: 0,
    updated: 0,
    files: 0,
    trashed: 0,
    skipped,
    refused,
    leftOut,
    notes,
  };
  if (mirror && !hasNoChanges(plan) && !(await settings.confirm(plan))) return { ...result, declined: true };
  try {
    await executePlan(client, plan, { tree, files: { entries: opened.entries, existingFiles } }, result);
    if (opened.tasks?.length) result.tasks = await importTasks(client, opened.tasks);
  } catch (problem) {
    result.stopped = (problem as Error).message;
  }
  return result;
}

/**
 * Imports a source into an account. Repeating it is safe: existing documents are skipped. A mirror also moves documents
 * whose files are gone to the trash. Throws if the source or the account cannot be read.
 */
export async function runImport(
  source: ImportSource,
  account: AccountLogin,
  settings: ImportSettings,
): Promise<ImportResult> {
  const opened = await openSource(source, settings.target);
  if (settings.mirror) requireListing(opened.found, source);
  return withClient(account, (client) => {
    for (const signal of ["SIGINT", "SIGTERM"])
      process.once(signal, () => client.end().finally(() => process.exit(130)));
    return importInto(client, opened, source, settings);
  });
}
