import { and, eq } from "drizzle-orm";
import type { Import } from "../../contract/import-state.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { imports } from "../../platform/db/tables.ts";
import type { WaitPreference } from "../../platform/http/prefer.ts";
import { type JobDefinition, runOrStartJob } from "../../platform/jobs/run.ts";
import { progressStatements } from "../../platform/jobs/store.ts";
import { collectGarbage } from "../../platform/queue/garbage.ts";
import { inspectNextPiece, isInspected } from "./inspect-store.ts";
import {
  deleteImportStatements,
  findImport,
  type ImportRow,
  ownedImport,
  presentImport,
} from "./row-store.ts";
import { applyNextLines } from "./store.ts";

/** The whole file is validated before anything is applied. */
export const IMPORT_JOB: JobDefinition<{ id: string }, Import> = {
  kind: "import",
  step: async ({ ctx, task, payload: { id } }) => {
    const row = await findImport(ctx, id);
    if (row.status === "done") {
      collectGarbage();
      return true;
    }
    if (!isInspected(row))
      await inspectNextPiece(ctx, row, (total) => progressStatements(ctx, task, { done: 0, total }));
    else await applyNextLines(ctx, row, (done) => progressStatements(ctx, task, { done }));
    return false;
  },
  result: async ({ ctx, payload: { id } }) => getImport(ctx, id),
  cancelStatements: ({ ctx, payload: { id } }) => deleteImportStatements(ctx, id),
};

/** The progress of one of the caller's imports. Throws 404. */
export const getImport = async (ctx: Ctx, id: string): Promise<Import> =>
  presentImport(await findImport(ctx, id));

/** Applies a completely received file, or starts a job that does. Throws 400 for a damaged file. */
export async function applyReceivedImport(
  ctx: Ctx,
  { id, dry_run }: ImportRow,
  prefer: WaitPreference,
): Promise<Import> {
  // From now on no more parts of the file are accepted.
  const received = ctx.db
    .update(imports)
    .set({ status: "applying" })
    .where(and(ownedImport(ctx, id), eq(imports.status, "uploading")));
  const title = dry_run ? "Check a file before importing it" : "Import a file";
  const options = { id, key: id, title, total: null, payload: { id }, also: [received] };
  const { result, job } = await runOrStartJob(ctx, IMPORT_JOB, options, prefer);
  if (job?.state === "failed") throw badRequest(job.detail ?? "The import failed");
  return result ?? getImport(ctx, id);
}
