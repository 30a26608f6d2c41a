import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Summary } from "../../src/contract/dashboard.ts";
import type { Client } from "../../src/contract/import/client.ts";
import { readTasks, type TaskFile } from "../../src/contract/import/records/read.ts";
import type { Import } from "../../src/contract/import-state.ts";
import { type Account, connect } from "../common/client.ts";
import { showWait } from "../common/show-wait.ts";

// Tasks of other programs: a file of Todoist or of a calendar becomes an export file, which the service imports.

export type TaskResult = { read: TaskFile; done: Import };

const HEADERS = { "Content-Type": "application/x-ndjson", Prefer: "wait=20" };

/** Has the service import an export file, or say what that would do. What is there already stays as it is. */
async function importFile(client: Client, file: string, dryRun: boolean): Promise<Import> {
  const path = `/api/import?mode=skip&dry_run=${dryRun}`;
  const headers = { ...HEADERS, "Idempotency-Key": crypto.randomUUID() };
  let now = await client.send<Import>({ method: "POST", path, raw: file, headers });
  while (now.status !== "done")
    now = await client.send<Import>({
      method: "POST",
      path: `/api/import/${now.id}`,
      raw: "",
      headers: HEADERS,
    });
  if (dryRun) await client.send({ method: "DELETE", path: `/api/import/${now.id}` });
  return now;
}

/** Imports a file of tasks into an account, or says what would become of it. Throws for a file that is none. */
export async function runTasks(
  path: string,
  account: Account,
  { dryRun }: { dryRun: boolean },
): Promise<TaskResult> {
  const bytes = await readFile(path);
  const client = await connect(account, showWait);
  try {
    const { timezone } = await client.send<Summary>({ method: "GET", path: "/api/dashboard/summary" });
    const read = readTasks([{ name: basename(path), bytes }], { timezone, now: client.signedInAt });
    return { read, done: await importFile(client, read.file, dryRun) };
  } finally {
    await client.end();
  }
}
