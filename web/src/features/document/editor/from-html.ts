import type { Element, Root } from "hast";
import { fromDom } from "hast-util-from-dom";
import { cleanTree } from "./clipboard/clean.ts";
import { codeBlock } from "./clipboard/code.ts";
import { type ConvertedHtml, writeMarkdown } from "./clipboard/markdown.ts";
import { readSource } from "./clipboard/source.ts";
import { TooLarge } from "./clipboard/tables.ts";
import { findElement, inlineStyle, isElement, property, textOf } from "./clipboard/tree.ts";

// Converts pasted rich text to Markdown. It is parsed in a separate document, which loads and runs nothing, and is never added
// to the page.

/** HTML without any of these elements is treated as plain text. */
const FORMATTED =
  /^(?:h[1-6]|strong|b|em|i|del|s|strike|a|ul|ol|table|blockquote|hr|code|pre|img|footnote-reference)$/;

const hasFormats = (root: Root) => findElement(root, ({ tagName }) => FORMATTED.test(tagName)) !== undefined;

/** Paragraphs of text, between which Markdown needs empty lines. */
function hasParagraphs(root: Root): boolean {
  let count = 0;
  return (
    findElement(root, (node) => isElement(node, "p") && textOf(node).trim() !== "" && ++count > 1) !==
    undefined
  );
}

/** The element of code copied from an editor: a single block that preserves spaces. */
function codeElement(root: Root): Element | undefined {
  const nodes = root.children.filter(
    (node) => textOf(node).trim() !== "" || isElement(node, "div", "pre", "img"),
  );
  const [only, ...others] = nodes;
  if (others.length > 0 || !isElement(only)) return undefined;
  const isCode =
    isElement(only, "pre") || (isElement(only, "div") && inlineStyle(only).get("white-space") === "pre");
  return isCode ? only : undefined;
}

const languageOf = (code: Element): string => {
  const named = findElement({ type: "root", children: [code] }, (node) =>
    /\blanguage-/.test(property(node, "className")),
  );
  return (named && /\blanguage-([\w+#-]+)/.exec(property(named, "className"))?.[1]?.toLowerCase()) ?? "";
};

/** Deeper nesting does not occur in real pages and takes seconds to parse. */
const MAX_DEPTH = 100;
const TAG = /<(\/?)([a-z][a-z0-9]*)/gi;
/** Elements whose end tags are optional, and void elements. */
const UNCOUNTED = /^(?:area|br|col|dd|dt|hr|img|input|li|link|meta|option|p|source|td|th|tr|wbr)$/i;

function isDeep(html: string): boolean {
  let depth = 0;
  for (const [, end, name = ""] of html.matchAll(TAG)) {
    if (!UNCOUNTED.test(name)) depth += end ? -1 : 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Converting more HTML than this would block the page for a second or longer. */
const MAX_LENGTH = 400_000;
/** Malformed HTML can have more elements than tags. */
const MAX_ELEMENTS = 30_000;

/** The tree of HTML; undefined if it is too large or nested too deeply. */
function parse(html: string): Root | undefined {
  if (html.length > MAX_LENGTH || isDeep(html)) return undefined;
  const { body } = new DOMParser().parseFromString(html, "text/html");
  if (body.querySelectorAll("*").length > MAX_ELEMENTS) return undefined;
  return { type: "root", children: (fromDom(body) as Element).children };
}

type Options = {
  /** The plain text beside it, which has the lines of code as they were. */
  plain?: string;
  /** What is added to the numbers of footnotes. */
  firstFootnote?: number;
};

/** Any HTML as Markdown: "too long" if it is too large to convert, undefined if its plain text loses nothing. */
export function htmlToMarkdown(
  source: string,
  { plain = "", firstFootnote = 0 }: Options = {},
): ConvertedHtml | "too long" | undefined {
  const { html, sheet } = readSource(source);
  const root = parse(html);
  if (!root) return "too long";
  const code = codeElement(root);
  if (code) {
    const text = codeBlock(plain || textOf(code), languageOf(code));
    return text === undefined ? undefined : { text, isBlock: true };
  }
  try {
    cleanTree(root, sheet, firstFootnote);
  } catch (error) {
    if (error instanceof TooLarge) return "too long";
    throw error;
  }
  return plain.trim() === "" || hasFormats(root) || hasParagraphs(root) ? writeMarkdown(root) : undefined;
}
