import { type SQL, sql } from "drizzle-orm";
import { folderPathKey } from "../../contract/folder-key.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { scheduleNameFormsStatement } from "../../platform/db/spellings.ts";

const BATCH_SIZE = 5000;

export const hasKeylessFolders = (): SQL =>
  sql`EXISTS (SELECT 1 FROM folders INDEXED BY folders_odd_idx WHERE key IS NULL)`;

/** Writes the keys of folders from an earlier version that SQLite could not compute. */
export async function completeFolderKeys(base: BaseCtx): Promise<void> {
  const { db } = base;
  const rows = await db.all<{ owner: number; id: string; name: string }>(sql`
    SELECT owner, id, name FROM folders INDEXED BY folders_odd_idx
    WHERE key IS NULL AND ${notFenced("folders.owner")} LIMIT ${BATCH_SIZE}`);
  if (rows.length === 0) return;
  const keys = rows.map(({ id, name }) => [id, name, folderPathKey(name)]);
  // A folder renamed since then already has its key.
  await db.batch([
    scheduleNameFormsStatement(base, rows),
    db.run(sql`UPDATE folders SET key = w.value ->> 2 FROM json_each(${JSON.stringify(keys)}) AS w
      WHERE folders.id = w.value ->> 0 AND folders.name = w.value ->> 1 AND ${notFenced("folders.owner")}`),
  ]);
}
