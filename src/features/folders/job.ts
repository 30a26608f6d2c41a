import type { Ctx } from "../../platform/core/ctx.ts";
import type { Prefer } from "../../platform/http/prefer.ts";
import { doOrBegin, type Kind, type Outcome } from "../../platform/later/run.ts";
import { advanced } from "../../platform/later/store.ts";
import type { OnContent } from "../documents/folder-store.ts";
import { deleteSome, deletionOfFolder, type FolderDeletion } from "./delete-store.ts";

type Nothing = Record<string, never>;

/** The folder is there until its content is elsewhere. */
export const FOLDER_JOB: Kind<FolderDeletion, Nothing> = {
  kind: "folder",
  step: ({ ctx, task, payload }) =>
    deleteSome(ctx, payload, { noted: (count) => advanced(ctx, task, { done: count }) }),
  result: async () => ({}),
};

/** Throws 404, 400 when it is not empty and nothing is said of its content, 409. */
export async function deleteFolder(
  ctx: Ctx,
  id: string,
  { onContent, prefer }: { onContent?: OnContent | undefined; prefer?: Prefer } = {},
): Promise<Outcome<Nothing>> {
  const { name, total, ...payload } = await deletionOfFolder(ctx, id, onContent);
  return doOrBegin(
    ctx,
    FOLDER_JOB,
    { key: id, title: `Delete the folder "${name}"`, total, payload },
    prefer,
  );
}
