import { INLINE_TYPES } from "../../../../src/contract/file-limits.ts";
import { toast } from "../../state/toasts.ts";
import type { WaitingFile } from "../../state/waiting-files.ts";
import { addFiles } from "./add.ts";
import { type Change, markdownOf, waitingName } from "./reference.ts";
import { shownName } from "./words.ts";

/** Whether a text can show it as a picture. */
export const isPicture = ({ bytes: { type } }: WaitingFile): boolean =>
  type.startsWith("image/") && INLINE_TYPES.includes(type);

const written = (file: WaitingFile): string => {
  const isShown = isPicture(file);
  return markdownOf(waitingName(file.key), isShown, isShown ? "" : shownName(file.name));
};

/** An insertion into a text, and the cursor position after it. */
export type Put = Change & { cursor: number };

const inLine = (at: number, insert: string): Put => ({
  from: at,
  to: at,
  insert,
  cursor: at + insert.length,
});

const lineBreaks = (has: number): string => "\n".repeat(Math.max(0, 2 - has));

/** Inserts a block with an empty line before and after; the cursor ends in the latter. */
export function asBlock(text: string, at: number, block: string): Put {
  const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  const end = next === -1 ? text.length : next;
  const isBlank = text.slice(start, end).trim() === "";
  const from = isBlank ? start : end;
  const above = /\n{0,2}$/.exec(text.slice(Math.max(0, from - 2), from))?.[0].length ?? 0;
  const below = /^\n{0,2}/.exec(text.slice(end, end + 2))?.[0].length ?? 0;
  const before = from === 0 ? "" : lineBreaks(above);
  const insert = `${before}${block}${lineBreaks(below)}`;
  return { from, to: end, insert, cursor: from + before.length + block.length + 2 };
}

type Where = {
  to: WaitingFile["to"];
  isMarkdown: boolean;
  /** Edits the text; called with a function from text and cursor position to the insertion. */
  insert: (put: (text: string, at: number) => Put) => void;
};

/** Adds files to the text being edited, pictures as blocks. Returns the pictures. */
export async function putFiles(
  files: readonly File[],
  { to, isMarkdown, insert }: Where,
): Promise<WaitingFile[]> {
  const added = await addFiles(files, { to, ...(isMarkdown && { isInText: true }) });
  if (added.length === 0) return [];
  if (!isMarkdown) {
    toast({ text: `${added.length === 1 ? "The file was" : "The files were"} added below the text` });
    return [];
  }
  const pictures = added.filter(isPicture);
  const isBlock = added.length > 1 || pictures.length > 0;
  const text = added.map(written).join("\n\n");
  insert((whole, at) => (isBlock ? asBlock(whole, at, text) : inLine(at, text)));
  return pictures;
}
