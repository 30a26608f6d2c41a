import { useState } from "react";
import { documentsApi } from "../../api/documents.ts";
import { untilAnswered } from "../../api/persist.ts";
import { randomId } from "../../api/random-id.ts";
import { refreshDocuments } from "../../state/queries.ts";
import { begin } from "../../state/toasts.ts";
import { type Changes, undoOf } from "../../state/undo.ts";

// Creates documents from files.

export const ENDINGS = [".md", ".markdown", ".txt"];

const isText = (name: string) => ENDINGS.some((ending) => name.toLowerCase().endsWith(ending));

/** The title for a file name. */
export const titleOf = (name: string) => name.replace(/\.(?:md|markdown|txt)$/i, "").trim() || name;

export type Upload = {
  total: number;
  done: number;
  failed: { file: File; why: string }[];
  isRunning: boolean;
};

const SIDE_BY_SIDE = 4;

/** Throws if the file is not text. */
async function textOf(file: File): Promise<string> {
  if (!isText(file.name)) throw new Error(`only ${ENDINGS.join(", ")} files can become documents`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error("not UTF-8 text");
  }
}

async function create(file: File, folderId: string | undefined, changes: Changes): Promise<void> {
  const text = await textOf(file);
  const written = new Date(Math.min(file.lastModified, Date.now() - 1000)).toISOString();
  const input = {
    title: titleOf(file.name).slice(0, 500),
    content: { format: "markdown", text },
    folder_id: folderId ?? null,
    created_at: written,
  };
  const key = randomId();
  await untilAnswered(() => documentsApi.create(input, key, { changes }));
}

/** Creates documents from files, several at a time, and reports those that failed. */
export function useUpload(folderId: string | undefined) {
  const [upload, setUpload] = useState<Upload>();
  const run = async (files: File[]) => {
    if (files.length === 0) return;
    const state: Upload = { total: files.length, done: 0, failed: [], isRunning: true };
    setUpload({ ...state });
    const step = begin();
    const changes: Changes = [];
    const waiting = [...files];
    const work = async () => {
      for (let file = waiting.shift(); file; file = waiting.shift()) {
        try {
          await create(file, folderId, changes);
        } catch (problem) {
          state.failed.push({ file, why: (problem as Error).message });
        }
        state.done += 1;
        setUpload({ ...state, failed: [...state.failed] });
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
    setUpload(state.failed.length > 0 ? { ...state, isRunning: false } : undefined);
    const created = state.total - state.failed.length;
    const text = `${created} document${created === 1 ? "" : "s"} created`;
    step.end(created > 0 ? { text, ...undoOf(changes) } : undefined);
    refreshDocuments();
  };
  return { upload, run, dismiss: () => setUpload(undefined) };
}
