import type { Ctx } from "../../platform/core/ctx.ts";
import type { Prefer } from "../../platform/http/prefer.ts";
import { doOrBegin, type Kind, type Outcome } from "../../platform/later/run.ts";
import { advanced } from "../../platform/later/store.ts";
import type { OnContent } from "../documents/folder-store.ts";
import { deleteSome, deletionOfFolder, type FolderDeletion } from "./delete-store.ts";

type Nothing = Record<string, never>;

/** The folder exists until its content has been moved. */
export const FOLDER_JOB: Kind<FolderDeletion, Nothing> = {
  kind: "folder",
  step: ({ ctx, task, payload }) =>
    deleteSome(ctx, payload, { noted: (count) => advanced(ctx, task, { done: count }) }),
  result: async () => ({}),
};

/** Throws 404, 400 if the folder is not empty and `onContent` is undefined, 409. */
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
