import { useState } from "react";
import { documentsApi } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { retryUntilAnswered } from "../../api/retry.ts";
import { refreshDocuments } from "../../state/queries.ts";
import { beginToast } from "../../state/toasts.ts";
import { type ChangeIds, undoOffer } from "../../state/undo.ts";

export const TEXT_EXTENSIONS = [".md", ".markdown", ".txt"];

const isText = (name: string) => TEXT_EXTENSIONS.some((ending) => name.toLowerCase().endsWith(ending));

export const titleFromFileName = (name: string) => name.replace(/\.(?:md|markdown|txt)$/i, "").trim() || name;

export type UploadState = {
  total: number;
  done: number;
  failed: { file: File; why: string }[];
  isRunning: boolean;
};

const CONCURRENCY = 4;

/** Throws if the file is not text. */
async function readText(file: File): Promise<string> {
  if (!isText(file.name)) throw new Error(`only ${TEXT_EXTENSIONS.join(", ")} files can become documents`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error("not UTF-8 text");
  }
}

async function createDocument(file: File, folderId: string | undefined, changes: ChangeIds): Promise<void> {
  const text = await readText(file);
  const written = new Date(Math.min(file.lastModified, Date.now() - 1000)).toISOString();
  const input = {
    title: titleFromFileName(file.name).slice(0, 500),
    content: { format: "markdown", text },
    folder_id: folderId ?? null,
    created_at: written,
  };
  const key = randomId();
  await retryUntilAnswered(() => documentsApi.create(input, key, { changes }));
}

/** Creates documents from files, several at a time, and reports those that failed. */
export function useUpload(folderId: string | undefined) {
  const [upload, setUpload] = useState<UploadState>();
  const run = async (files: File[]) => {
    if (files.length === 0) return;
    const state: UploadState = { total: files.length, done: 0, failed: [], isRunning: true };
    setUpload({ ...state });
    const step = beginToast();
    const changes: ChangeIds = [];
    const waiting = [...files];
    const work = async () => {
      for (let file = waiting.shift(); file; file = waiting.shift()) {
        try {
          await createDocument(file, folderId, changes);
        } catch (problem) {
          state.failed.push({ file, why: (problem as Error).message });
        }
        state.done += 1;
        setUpload({ ...state, failed: [...state.failed] });
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    setUpload(state.failed.length > 0 ? { ...state, isRunning: false } : undefined);
    const created = state.total - state.failed.length;
    const text = `${created} document${created === 1 ? "" : "s"} created`;
    step.end(created > 0 ? { text, ...undoOffer(changes) } : undefined);
    refreshDocuments();
  };
  return { upload, run, dismiss: () => setUpload(undefined) };
}
