import type { Summary } from "../../../contract/dashboard.ts";
import type { Import } from "../../../contract/import-state.ts";
import type { ApiClient } from "../client.ts";
import type { TaskFileSource } from "../entries.ts";
import { readTasks, type TaskFile } from "./read-tasks.ts";

const HEADERS = { "Content-Type": "application/x-ndjson", Prefer: "wait=20" };

/** Imports an export file, or previews the import. Existing records stay unchanged. */
export async function importExportFile(client: ApiClient, file: string, dryRun = false): Promise<Import> {
  const path = `/api/import?mode=skip&dry_run=${dryRun}`;
  const headers = { ...HEADERS, "Idempotency-Key": crypto.randomUUID() };
  let now = await client.send<Import>({ method: "POST", path, raw: file, headers });
  while (now.status !== "done")
    now = await client.send({ method: "POST", path: `/api/import/${now.id}`, raw: "", headers: HEADERS });
  if (dryRun) await client.send({ method: "DELETE", path: `/api/import/${now.id}` });
  return now;
}

/**
 * Reads files of tasks in the time zone of the account.
 *
 * @param now the service's time
 */
export async function readTasksFor(
  client: ApiClient,
  files: readonly TaskFileSource[],
  now: Date,
): Promise<TaskFile> {
  const { timezone } = await client.send<Summary>({ method: "GET", path: "/api/dashboard/summary" });
  return readTasks(files, { timezone, now });
}
