import { sql } from "drizzle-orm";
import { toNfc } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import type { StepBudget } from "../../platform/jobs/run.ts";
import { runYielding, withRest } from "../../platform/queue/yielding.ts";
import type { StoredFolder } from "../documents/folder-path.ts";
import { deleteFolderStep } from "./delete-store.ts";
import { type MergeStep, mergeSteps } from "./duplicates.ts";
import { updateFolder, wouldCreateCycle } from "./store.ts";

// Converts folder names that an earlier version stored in NFD to NFC. A folder with a duplicate is merged into it: its
// documents keep their modification times, and the activity shows what the service did.

const readFolders = ({ db, owner }: Ctx) =>
  db.all<StoredFolder>(
    sql`SELECT id, name, parent_id FROM folders WHERE owner = ${owner} ORDER BY created_at, id`,
  );

/** Aborts the batch unless the folders are as the step expects, and no folder deletion is waiting. */
const assertUnchanged = (ctx: Ctx, folders: readonly StoredFolder[]) =>
  assertInBatch(
    ctx,
    sql`(SELECT count(*) FROM json_each(${JSON.stringify(folders)}) AS w CROSS JOIN folders AS f
      ON f.id = w.value ->> 'id' AND f.owner = ${ctx.owner} AND f.name = w.value ->> 'name'
        AND f.parent_id IS w.value ->> 'parent_id') = ${folders.length}
      AND NOT EXISTS (SELECT 1 FROM later WHERE owner = ${ctx.owner} AND kind = 'folder' AND state = 'waiting')`,
    "folder-changed",
  );

/** Returns whether the step is done; false when the budget is spent. */
async function carryOut(ctx: Ctx, step: MergeStep, isLeft: StepBudget): Promise<boolean> {
  const { folder } = step;
  if ("name" in step) {
    await updateFolder(ctx, folder.id, { name: step.name }, { ahead: [assertUnchanged(ctx, [folder])] });
    return true;
  }
  const deletion = { id: folder.id, onContent: "move_up", mergeInto: step.joins.id } as const;
  const progressStatements = () => [
    assertUnchanged(ctx, [folder, step.joins, ...step.top]),
    assertInBatch(ctx, sql`NOT ${wouldCreateCycle(folder.id, step.joins.id)}`, "folder-changed"),
  ];
  while (!(await withRest(() => deleteFolderStep(ctx, deletion, progressStatements))))
    if (!isLeft()) return false;
  return true;
}

/** Converts folder names to NFC. Returns whether all are done; false when the budget is spent. Throws on concurrent changes. */
export async function composeFolderNames(ctx: Ctx, isLeft: StepBudget): Promise<boolean> {
  const folders = await readFolders(ctx);
  if (folders.every(({ name }) => name === toNfc(name))) return true;
  for (const step of await runYielding(mergeSteps(folders)))
    if (!(await carryOut(ctx, step, isLeft)) || !isLeft()) return false;
  return true;
}
