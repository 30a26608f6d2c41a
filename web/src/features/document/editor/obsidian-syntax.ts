import { tags } from "@lezer/highlight";
import type { BlockContext, InlineContext, Line, MarkdownConfig } from "@lezer/markdown";
import { wikiLinksIn } from "../../../../../src/shared/markdown/note-links.ts";

// Obsidian's links, ==marked== words and %%comments%% in the editor. They are read as in ../obsidian, except that a comment
// without an end reaches as far as the text, so that one sees the forgotten mark.

const [PERCENT, EXCLAMATION, EQUALS, BRACKET] = [37, 33, 61, 91] as const;

const MAX_LINK = 1105;

/** Where the shown words of a link begin: after `|`, or after the folders before the title. */
function wordsStart(link: string): number {
  const bar = link.indexOf("|");
  if (bar >= 0) return bar + 1;
  const hash = link.indexOf("#");
  const slash = link.lastIndexOf("/", hash < 0 ? link.length : hash);
  return slash < 0 ? link.indexOf("[[") + 2 : slash + 1;
}

function parseNoteLink(context: InlineContext, next: number, at: number): number {
  const brackets = next === EXCLAMATION ? at + 1 : at;
  if (next !== EXCLAMATION && next !== BRACKET) return -1;
  if (context.char(brackets) !== BRACKET || context.char(brackets + 1) !== BRACKET) return -1;
  if (context.char(brackets + 2) === BRACKET) return -1;
  const text = context.slice(at, Math.min(context.end, at + MAX_LINK));
  const link = wikiLinksIn(text).next().value;
  if (link?.start !== 0) return -1;
  const [start, end] = [at + wordsStart(text.slice(0, link.end)), at + link.end - 2];
  const marks = [context.elt("LinkMark", at, start), context.elt("LinkMark", end, end + 2)];
  return context.addElement(context.elt("NoteLink", at, end + 2, marks));
}

const MARKED = { resolve: "Marked", mark: "MarkedMark" };
const isSpace = (text: string) => /^\s?$/.test(text);
const isPunctuation = (text: string) => /[\p{P}\p{S}]/u.test(text);

function parseMarked(context: InlineContext, next: number, at: number): number {
  if (next !== EQUALS || context.char(at + 1) !== EQUALS || context.char(at + 2) === EQUALS) return -1;
  const [before, after] = [context.slice(at - 1, at), context.slice(at + 2, at + 3)];
  if (before === "=") return -1;
  const opens = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
  const closes = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
  return context.addDelimiter(MARKED, at, at + 2, opens, closes);
}

function parseComment(context: InlineContext, next: number, at: number): number {
  if (next !== PERCENT || context.char(at + 1) !== PERCENT) return -1;
  const end = context.text.indexOf("%%", at + 2 - context.offset);
  return end < 0 ? -1 : context.addElement(context.elt("NoteComment", at, context.offset + end + 2));
}

/** Whether a comment begins a line and does not end on it. */
const startsComment = ({ text, pos }: { text: string; pos: number }) =>
  text.startsWith("%%", pos) && !text.includes("%%", pos + 2);

/** Whether a line belongs to the enclosing blocks. The parser's type leaves out the line's depth, which its own blocks use. */
const isInside = (context: BlockContext, line: Line) =>
  (line as Line & { depth: number }).depth >= context.depth;

export const obsidianSyntax: MarkdownConfig = {
  defineNodes: [
    { name: "NoteLink" },
    { name: "Marked" },
    { name: "MarkedMark", style: tags.processingInstruction },
    { name: "NoteComment", style: tags.comment },
    { name: "NoteCommentBlock", block: true, style: tags.comment },
  ],
  parseInline: [
    { name: "NoteLink", parse: parseNoteLink, before: "Link" },
    { name: "Marked", parse: parseMarked, after: "Emphasis" },
    { name: "NoteComment", parse: parseComment, before: "Emphasis" },
  ],
  parseBlock: [
    {
      name: "NoteCommentBlock",
      before: "IndentedCode",
      parse: (context, line) => {
        if (!startsComment(line)) return false;
        const start = context.lineStart + line.pos;
        let isOpen = true;
        while (isOpen && context.nextLine() && isInside(context, line))
          isOpen = !line.text.includes("%%", line.pos);
        if (!isOpen) context.nextLine();
        context.addElement(context.elt("NoteCommentBlock", start, context.prevLineEnd()));
        return true;
      },
      endLeaf: (_context, line) => startsComment(line),
    },
  ],
};
