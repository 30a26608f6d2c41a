import { pickFields } from "../../contract/field-spec.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { WaitPreference } from "../../platform/http/prefer.ts";
import { type JobDefinition, type JobOutcome, runOrStartJob } from "../../platform/jobs/run.ts";
import { progressStatements } from "../../platform/jobs/store.ts";
import { type RenameCounts, renameProjectStep, resolveProject, type TrashPosition } from "./project-store.ts";
import type { MemoryWriter } from "./row-store.ts";

type RenamePayload = {
  project: string;
  next: string;
  writer: Pick<MemoryWriter, "source_type" | "client_name">;
  after?: TrashPosition;
} & Partial<RenameCounts>;

const TRASH_START: TrashPosition = { at: "", id: 0 };

/** Renames a project step by step; records keep the old name until their step. */
export const PROJECT_JOB: JobDefinition<RenamePayload, RenameCounts> = {
  kind: "project",
  step: async ({ ctx, task, payload }) => {
    const { project, next, writer, after = TRASH_START, renamed = 0, in_trash = 0 } = payload;
    if (project === next) return true;
    const totalsWith = (more: RenameCounts): RenameCounts => ({
      renamed: renamed + more.renamed,
      in_trash: in_trash + more.in_trash,
    });
    const some = await renameProjectStep(
      ctx,
      { project, next },
      {
        writer,
        after,
        progressStatements: (more) =>
          progressStatements(ctx, task, {
            done: more.renamed + more.in_trash,
            payload: { after: more.after, ...totalsWith(more) },
          }),
      },
    );
    Object.assign(payload, totalsWith(some));
    if (some.after) payload.after = some.after;
    return some.after === null;
  },
  result: async ({ payload: { renamed = 0, in_trash = 0 } }) => ({ renamed, in_trash }),
};

/** Renames a project on all records, as a job if there are many. Throws 404 if no record has it. */
export async function startProjectRename(
  ctx: Ctx,
  renaming: { project: string; next: string },
  { writer, prefer }: { writer: MemoryWriter; prefer?: WaitPreference },
): Promise<JobOutcome<RenameCounts>> {
  const { next } = renaming;
  const { project, total } = await resolveProject(ctx, renaming);
  const payload = { project, next, writer: pickFields(writer, ["source_type", "client_name"]) };
  const title = `Rename the project "${project}" to "${next}"`;
  return runOrStartJob(ctx, PROJECT_JOB, { key: project, title, total, payload }, prefer);
}
