import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Import } from "../../src/contract/import-state.ts";
import { importExportFile, readTasksFor } from "../../src/shared/import/records/import-tasks.ts";
import type { TaskFile } from "../../src/shared/import/records/read-tasks.ts";
import { type AccountLogin, signInClient } from "../common/client.ts";
import { showWait } from "../common/show-wait.ts";

// Tasks of other programs: a file from Todoist, Notion or a calendar is converted to an export file, which the service
// imports.

export type TaskImportResult = { read: TaskFile; done: Import };

/** Imports a file of tasks into an account, or with `dryRun` says what it would import. Throws if it has no tasks. */
export async function importTaskFile(
  path: string,
  account: AccountLogin,
  { dryRun }: { dryRun: boolean },
): Promise<TaskImportResult> {
  const bytes = await readFile(path);
  const client = await signInClient(account, showWait);
  try {
    const read = await readTasksFor(client, [{ name: basename(path), bytes }], client.signedInAt);
    return { read, done: await importExportFile(client, read.file, dryRun) };
  } finally {
    await client.end();
  }
}
