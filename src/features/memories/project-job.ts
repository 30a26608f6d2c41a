import type { Ctx } from "../../platform/core/ctx.ts";
import type { Prefer } from "../../platform/http/prefer.ts";
import { doOrBegin, type Kind, type Outcome } from "../../platform/later/run.ts";
import { advanced } from "../../platform/later/store.ts";
import { projectMeant, type Renamed, renameSome, type TrashPlace } from "./project-store.ts";
import type { Writer } from "./row-store.ts";

type RenamePayload = {
  project: string;
  next: string;
  writer: Pick<Writer, "source_type" | "client_name">;
  after?: TrashPlace;
} & Partial<Renamed>;

const TRASH_START: TrashPlace = { at: "", id: 0 };

/** Renames a project step by step; records keep the old name until their step. */
export const PROJECT_JOB: Kind<RenamePayload, Renamed> = {
  kind: "project",
  step: async ({ ctx, task, payload }) => {
    const { project, next, writer, after = TRASH_START, renamed = 0, in_trash = 0 } = payload;
    if (project === next) return true;
    const some = await renameSome(
      ctx,
      { project, next },
      {
        writer,
        after,
        noted: (more) =>
          advanced(ctx, task, {
            done: more.renamed + more.in_trash,
            payload: {
              after: more.after,
              renamed: renamed + more.renamed,
              in_trash: in_trash + more.in_trash,
            },
          }),
      },
    );
    Object.assign(payload, { renamed: renamed + some.renamed, in_trash: in_trash + some.in_trash });
    if (some.after) payload.after = some.after;
    return some.after === null;
  },
  result: async ({ payload: { renamed = 0, in_trash = 0 } }) => ({ renamed, in_trash }),
};

/** Renames a project on all records, as a job if there are many. Throws 404 if no record has it. */
export async function renameProjectOf(
  ctx: Ctx,
  renaming: { project: string; next: string },
  { writer, prefer }: { writer: Writer; prefer?: Prefer },
): Promise<Outcome<Renamed>> {
  const { next } = renaming;
  const { project, total } = await projectMeant(ctx, renaming);
  const { source_type, client_name } = writer;
  const payload = {
    project,
    next,
    writer: { source_type, ...(client_name !== undefined && { client_name }) },
  };
  const title = `Rename the project "${project}" to "${next}"`;
  return doOrBegin(ctx, PROJECT_JOB, { key: project, title, total, payload }, prefer);
}
