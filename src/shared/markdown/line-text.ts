import { oneLine, plainText } from "./plain-text.ts";

// Titles and lines may contain Markdown and HTML. They are stored unchanged and shown as plain text.

const INLINE =
  "a|abbr|b|bdi|big|br|center|cite|code|del|details|div|em|font|h[1-6]|hr|i|img|ins|kbd|li|ol|p|picture|pre|q|s|samp|" +
  "small|source|span|strike|strong|sub|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var|wbr";

/** Tags that are always markup, and comments, also if cut off at the end. "List<T>" is kept. */
const TAG = new RegExp(`</?(?:${INLINE})(?:\\s[^<>]*)?/?(?:>|$)|<!--[^<>]*(?:>|$)`, "gi");

/** A link that is cut off in its URL, and the brackets of one that is cut off before it. */
const CUT_ADDRESS = /!?\[([^[\]]*)\]\([^()\s]*$/;
const CUT_BRACKETS = /!\[(?:!?\[)?(?=[^\]]*$)|\[(?=!\[)|\]\([^()\s]*$/g;

/** The markers of block quotes, lists, tasks and headings at the start of a line. */
export const LINE_MARKS =
  /^\s*(?:(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))\s*)*(?:\[[ xX]\](?=\s)\s*)?(?:#{1,6}(?=\s|$)\s*)?/;

/** A line of Markdown and HTML as text. */
export const lineText = (line: string): string =>
  oneLine(plainText(line.replace(TAG, " ").replace(CUT_ADDRESS, "$1")).replace(CUT_BRACKETS, " ")).replace(
    / (?=[,.;:!?)](?: |$))/g,
    "",
  );

/** A title as text, without Markdown, tags and entities. A title of nothing else is returned unchanged. */
export const titleText = (title: string): string =>
  lineText(title.replace(/^\s*#{1,6}\s+(.*?)(?:\s+#+)?\s*$/s, "$1")) || oneLine(title);
