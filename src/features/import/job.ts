import { and, eq } from "drizzle-orm";
import type { Import } from "../../contract/import-state.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { imports } from "../../platform/db/tables.ts";
import type { Prefer } from "../../platform/http/prefer.ts";
import { doOrBegin, type Kind } from "../../platform/later/run.ts";
import { advanced } from "../../platform/later/store.ts";
import { collectGarbage } from "../../platform/turns/garbage.ts";
import { inspectSome, isInspected } from "./inspect-store.ts";
import { forgetStatements, ownedById, present, type Row, rowOf } from "./row-store.ts";
import { applyOrFinish } from "./store.ts";

type File = { id: string };

/** The whole file is validated before anything is applied. */
export const IMPORT_JOB: Kind<File, Import> = {
  kind: "import",
  step: async ({ ctx, task, payload: { id } }) => {
    const row = await rowOf(ctx, id);
    if (row.status === "done") {
      collectGarbage();
      return true;
    }
    if (!isInspected(row)) await inspectSome(ctx, row, (total) => advanced(ctx, task, { done: 0, total }));
    else await applyOrFinish(ctx, row, (done) => advanced(ctx, task, { done }));
    return false;
  },
  result: async ({ ctx, payload: { id } }) => getImport(ctx, id),
  cancelled: ({ ctx, payload: { id } }) => forgetStatements(ctx, id),
};

/** The progress of one of the caller's imports. Throws 404. */
export const getImport = async (ctx: Ctx, id: string): Promise<Import> => present(await rowOf(ctx, id));

/** Applies a completely received file, or starts a job that does. Throws 400 for a damaged file. */
export async function applyImport(ctx: Ctx, { id, dry_run }: Row, prefer: Prefer): Promise<Import> {
  // From now on no more parts of the file are accepted.
  const received = ctx.db
    .update(imports)
    .set({ status: "applying" })
    .where(and(ownedById(ctx, id), eq(imports.status, "uploading")));
  const title = dry_run ? "Check a file before importing it" : "Import a file";
  const options = { id, key: id, title, total: null, payload: { id }, also: [received] };
  const { result, job } = await doOrBegin(ctx, IMPORT_JOB, options, prefer);
  if (job?.state === "failed") throw badRequest(job.detail ?? "The import failed");
  return result ?? getImport(ctx, id);
}
