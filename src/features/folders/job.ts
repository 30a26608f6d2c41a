import type { Ctx } from "../../platform/core/ctx.ts";
import type { WaitPreference } from "../../platform/http/prefer.ts";
import { type JobDefinition, type JobOutcome, runOrStartJob } from "../../platform/jobs/run.ts";
import { progressStatements } from "../../platform/jobs/store.ts";
import type { FolderContentAction } from "../documents/folder-store.ts";
import { deleteFolderStep, type FolderDeletion, prepareFolderDeletion } from "./delete-store.ts";

type Nothing = Record<string, never>;

/** The folder exists until its content has been moved. */
export const FOLDER_JOB: JobDefinition<FolderDeletion, Nothing> = {
  kind: "folder",
  step: ({ ctx, task, payload }) =>
    deleteFolderStep(ctx, payload, (count) => progressStatements(ctx, task, { done: count })),
  result: async () => ({}),
};

/** Throws 404, 400 if the folder is not empty and `onContent` is undefined, 409. */
export async function deleteFolder(
  ctx: Ctx,
  id: string,
  { onContent, prefer }: { onContent?: FolderContentAction | undefined; prefer?: WaitPreference } = {},
): Promise<JobOutcome<Nothing>> {
  const { name, total, ...payload } = await prepareFolderDeletion(ctx, id, onContent);
  const job = { key: id, title: `Delete the folder "${name}"`, total, payload };
  return runOrStartJob(ctx, FOLDER_JOB, job, prefer);
}
