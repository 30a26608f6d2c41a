import type { Element, ElementContent, Parents, Root } from "hast";
import type { StyleSheet } from "./source.ts";
import { element, isBlank, isElement, isInline, isSpace, styleOf, textOf } from "./tree.ts";

// Words in a font for code, as in Google Docs and Word, which have no other sign for it.

const CODE_FONT =
  /^["']?(?:consolas|courier|menlo|monaco|inconsolata|lucida console|sfmono|ui-monospace|monospace|andale mono|cascadia|fira code|source code|[\w ]+ mono\b)/;
/** Of a text that is mostly in such a font, only this is code: others like to write in it. */
const CODE_LINE = /^(?: {2,}|\t)\S|[{};=]\s*$|\w\([^()]*\)+\s*$|<\/?\w+>\s*$/;
const MOST = 0.75;

/** Whether the font of an element is one for code; undefined if it has none of its own. */
function isInCodeFont(node: Element, sheet: StyleSheet): boolean | undefined {
  const style = styleOf(node, sheet);
  const font = style.get("font-family") ?? style.get("font")?.replace(/^.*?\d(?:px|pt)(?:\/\S+)? /, "");
  return font === undefined ? undefined : CODE_FONT.test(font);
}

/** Code already, and headings, which some set in such a font. */
const KEPT = /^(?:pre|code|h[1-6])$/;

/** Whether each text is in such a font. */
type Fonts = Map<ElementContent, boolean>;

function readFonts(parent: Parents, sheet: StyleSheet, isCode: boolean, fonts: Fonts): void {
  for (const node of parent.children) {
    if (node.type === "text") fonts.set(node, isCode);
    if (node.type !== "element" || KEPT.test(node.tagName)) continue;
    readFonts(node, sheet, isInCodeFont(node, sheet) ?? isCode, fonts);
  }
}

const linesOf = (node: ElementContent): string => {
  if (!isElement(node)) return textOf(node);
  return isElement(node, "br") ? "\n" : node.children.map(linesOf).join("");
};

const textsOf = (node: ElementContent): ElementContent[] =>
  isElement(node) ? node.children.flatMap(textsOf) : [node];

const lengthOf = (nodes: ElementContent[]) => nodes.reduce((sum, node) => sum + textOf(node).length, 0);

const hasWords = (node: ElementContent) => textOf(node).trim() !== "";

function isAllCode(node: ElementContent, fonts: Fonts): boolean {
  return hasWords(node) && textsOf(node).every((text) => isSpace(text) || fonts.get(text));
}

const isParagraph = (node: ElementContent | undefined): node is Element =>
  isElement(node, "p", "div") && node.children.every(isInline);

const isEmptyLine = (node: ElementContent) => isSpace(node) || isElement(node, "br") || isBlank(node);

const codeBlock = (value: string) => element("pre", [element("code", [{ type: "text", value }])]);

const words = (value: string): ElementContent[] => (value ? [{ type: "text", value }] : []);

/** Code within a line, with the spaces at its edges outside. */
function inlineCode(value: string): ElementContent[] {
  const code = value.trim();
  const start = value.indexOf(code);
  return [
    ...words(value.slice(0, start)),
    element("code", [{ type: "text", value: code }]),
    ...words(value.slice(start + code.length)),
  ];
}

const hasOnlyWords = (node: ElementContent): boolean =>
  node.type === "text" ||
  (isElement(node, "span", "font", "b", "i", "strong", "em") && node.children.every(hasOnlyWords));

/** Makes code of words, joined where a program has split them. */
function convertWords(parent: Element | Root, fonts: Fonts): void {
  const done: ElementContent[] = [];
  let code = "";
  const flush = () => {
    if (code) done.push(...inlineCode(code));
    code = "";
  };
  for (const node of parent.children as ElementContent[]) {
    const isBetween = code !== "" && !hasWords(node) && textsOf(node).every((text) => fonts.get(text));
    if (hasOnlyWords(node) && (isBetween || isAllCode(node, fonts))) code += textOf(node);
    else {
      flush();
      if (isElement(node) && !isElement(node, "pre", "code")) convertWords(node, fonts);
      done.push(node);
    }
  }
  flush();
  parent.children = done;
}

/** The lines that a node adds to a code block, if it is of one. */
function linesOfBlock(node: ElementContent, isBegun: boolean, fonts: Fonts): string[] | undefined {
  if (isParagraph(node) && isAllCode(node, fonts)) return [linesOf(node)];
  if (!isBegun || !isEmptyLine(node)) return undefined;
  return isSpace(node) ? [] : [""];
}

const HAS_NO_BLOCKS = /^(?:pre|li|td|th)$/;

/** Makes code blocks of paragraphs that are not in items or cells. */
function convertParagraphs(parent: Element | Root, fonts: Fonts): void {
  const done: ElementContent[] = [];
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0) done.push(codeBlock(lines.join("\n").replace(/^\n+|\s+$/g, "")));
    lines = [];
  };
  for (const node of parent.children as ElementContent[]) {
    const added = linesOfBlock(node, lines.length > 0, fonts);
    if (added) lines.push(...added);
    else {
      flush();
      if (isElement(node) && !HAS_NO_BLOCKS.test(node.tagName)) convertParagraphs(node, fonts);
      done.push(node);
    }
  }
  flush();
  parent.children = done;
}

export function convertMonospaced(root: Root, sheet: StyleSheet): void {
  const fonts: Fonts = new Map();
  readFonts(root, sheet, false, fonts);
  const all = [...fonts.keys()].filter(hasWords);
  const inCodeFont = all.filter((node) => fonts.get(node));
  if (inCodeFont.length === 0) return;
  const isMost = lengthOf(inCodeFont) > lengthOf(all) * MOST;
  if (isMost && !inCodeFont.some((node) => CODE_LINE.test(textOf(node)))) return;
  convertParagraphs(root, fonts);
  convertWords(root, fonts);
}
