import { filesApi } from "../../api/files.ts";
import { type PendingFile, pendingFiles } from "../../state/pending-files.ts";
import { createSharedState } from "../../state/shared-state.ts";
import { pendingFileUri } from "../files/reference.ts";

// The progress of this tab's uploads, and actions on pending files.

/** A running upload: the account it belongs to, and the signal that cancels it. */
export type UploadRun = { account: string; signal: AbortSignal };

/** The progress of each upload by its key, from 0 to 1. Stays 0 for files sent in one request. */
const progress = createSharedState<ReadonlyMap<string, number>>(new Map());
/** Number of files uploaded since uploading began. */
const uploaded = createSharedState(0);
const controllers = new Map<string, AbortController>();

export const useUploadProgress = progress.use;
export const useUploadedCount = uploaded.use;

export const isUploading = (key: string): boolean => controllers.has(key);

export function setProgress(key: string, share: number): void {
  progress.set(new Map(progress.get()).set(key, share));
}

export function startUpload({ key, account }: PendingFile): UploadRun {
  const controller = new AbortController();
  controllers.set(key, controller);
  setProgress(key, 0);
  return { account, signal: controller.signal };
}

export function endUpload(key: string): void {
  controllers.delete(key);
  const remaining = new Map(progress.get());
  remaining.delete(key);
  progress.set(remaining);
}

export function countUploaded(key: string): void {
  setProgress(key, 1);
  uploaded.set(uploaded.get() + 1);
}

export const resetUploadedCount = (): void => uploaded.set(0);

/** Cancels an upload and removes the file from the text that refers to it. */
export async function cancelFile(file: PendingFile): Promise<void> {
  const { key, account, to, upload, isInText } = file;
  controllers.get(key)?.abort();
  await pendingFiles.remove(key);
  if (upload) void filesApi.cancelUpload(upload).catch(() => undefined);
  if (!isInText) return;
  const texts = await import("./file-references.ts");
  await texts
    .renameFileInTexts({ account, document: to.document }, pendingFileUri(key), undefined)
    .catch(() => undefined);
}

export const retryFile = ({ key }: PendingFile) => pendingFiles.update(key, { refused: undefined });
