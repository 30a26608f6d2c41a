import { INLINE_TYPES } from "../../../../src/contract/file-limits.ts";
import type { PendingFile } from "../../state/pending-files.ts";
import { toast } from "../../state/toasts.ts";
import { addFiles } from "./add.ts";
import { safeFileName } from "./file-facts.ts";
import { fileMarkdown, type Insertion, pendingFileUri } from "./reference.ts";

export const isPicture = ({ bytes: { type } }: PendingFile): boolean =>
  type.startsWith("image/") && INLINE_TYPES.includes(type);

const fileReference = (file: PendingFile): string => {
  const isShown = isPicture(file);
  return fileMarkdown(pendingFileUri(file.key), isShown, isShown ? "" : safeFileName(file.name));
};

const missingLineBreaks = (has: number): string => "\n".repeat(Math.max(0, 2 - has));

/** Inserts a block with an empty line before and after; the cursor ends in the latter. */
export function blockInsertion(text: string, at: number, block: string): Insertion {
  const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  const end = next === -1 ? text.length : next;
  const isBlank = text.slice(start, end).trim() === "";
  const from = isBlank ? start : end;
  const above = /\n{0,2}$/.exec(text.slice(Math.max(0, from - 2), from))?.[0].length ?? 0;
  const below = /^\n{0,2}/.exec(text.slice(end, end + 2))?.[0].length ?? 0;
  const before = from === 0 ? "" : missingLineBreaks(above);
  const insert = `${before}${block}${missingLineBreaks(below)}`;
  return { from, to: end, insert, cursor: from + before.length + block.length + 2 };
}

type InsertTarget = {
  to: PendingFile["to"];
  isMarkdown: boolean;
  /** Edits the text; called with a function from text and cursor position to the insertion. */
  insert: (put: (text: string, at: number) => Insertion) => void;
};

/** Adds files to the text being edited, pictures as blocks. Returns the pictures. */
export async function insertFiles(
  files: readonly File[],
  { to, isMarkdown, insert }: InsertTarget,
): Promise<PendingFile[]> {
  const added = await addFiles(files, { to, ...(isMarkdown && { isInText: true }) });
  if (added.length === 0) return [];
  if (!isMarkdown) {
    toast({ text: `${added.length === 1 ? "The file was" : "The files were"} added below the text` });
    return [];
  }
  const pictures = added.filter(isPicture);
  const isBlock = added.length > 1 || pictures.length > 0;
  const text = added.map(fileReference).join("\n\n");
  insert((whole, at) =>
    isBlock ? blockInsertion(whole, at, text) : { from: at, to: at, insert: text, cursor: at + text.length },
  );
  return pictures;
}
