import { FILE_SCHEME } from "../../contract/file-limits.ts";
import { outsideCode } from "../markdown/code-ranges.ts";
import { LINK_ADDRESS } from "../markdown/note-links.ts";
import { basename } from "./paths.ts";

// How notes of other programs refer to files: Markdown links and images, HTML images, and Obsidian's `![[x.png]]`. Code is
// ignored.

export type TextReference = {
  start: number;
  end: number;
  /** The file as written in the text. */
  target: string;
  /** `[[…]]`, which may refer to a file in any folder. */
  isWiki: boolean;
  /** The text that replaces it once the file has an id. */
  replacement: (id: string) => string;
};

const HTML_PICTURE = /<img\s[^<>]{0,2000}>/gi;
/** In a table, the bar is escaped. */
const WIKI = /(!?)\[\[([^[\]|#\n]{1,500}?)(?:#[^[\]|\n]{0,200}?)?(?:(\\?\|)([^[\]\n]{0,300}))?\]\]/g;

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp)$/i;
const SIZE = /^\d+(?:x\d+)?$/;

/** Bars stay escaped. */
const linkText = (words: string) => words.replace(/\s+/g, " ").replace(/[[\]]|\\(?!\|)/g, "\\$&");
const attribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}\\s{0,3}=\\s{0,3}(?:"([^"]*)"|'([^']*)')`, "i").exec(tag)?.slice(1).find(Boolean) ??
  "";

const link = (isPicture: boolean, words: string, id: string, size = "") =>
  `${isPicture ? "!" : ""}[${linkText(words)}${size}](${FILE_SCHEME}${id})`;

function* linkReferences(text: string): Generator<TextReference> {
  for (const { 0: whole, 1: before = "", 2: inAngles, 3: bare, index } of text.matchAll(LINK_ADDRESS)) {
    const target = inAngles ?? bare ?? "";
    const place = { start: index + before.length, end: index + whole.length };
    yield { ...place, target, isWiki: false, replacement: (id) => FILE_SCHEME + id };
  }
}

function* imageReferences(text: string): Generator<TextReference> {
  for (const { 0: tag, index } of text.matchAll(HTML_PICTURE)) {
    const target = attribute(tag, "src");
    const place = { start: index, end: index + tag.length };
    const alt = attribute(tag, "alt");
    if (target) yield { ...place, target, isWiki: false, replacement: (id) => link(true, alt, id) };
  }
}

function* wikiReferences(text: string): Generator<TextReference> {
  for (const { 0: whole, 1: sign, 2: name = "", 3: bar = "", 4: alias = "", index } of text.matchAll(WIKI)) {
    const target = name.trim();
    const isPicture = sign === "!" && PICTURE.test(target);
    const isSize = SIZE.test(alias.trim());
    const words = alias && !isSize ? alias : basename(target);
    const size = isPicture && isSize ? bar + alias.trim() : "";
    const place = { start: index, end: index + whole.length };
    yield { ...place, target, isWiki: true, replacement: (id) => link(isPicture, words, id, size) };
  }
}

/** The references in a text, in order, ignoring code. */
export const findReferences = (text: string): TextReference[] =>
  outsideCode(text, [...linkReferences(text), ...imageReferences(text), ...wikiReferences(text)]);

/** Replaces the references for which `idOf` returns an id. */
export function replaceReferences(
  text: string,
  idOf: (reference: TextReference) => string | undefined,
): string {
  let at = 0;
  const pieces = findReferences(text).flatMap((reference) => {
    const id = idOf(reference);
    if (id === undefined) return [];
    const piece = text.slice(at, reference.start) + reference.replacement(id);
    at = reference.end;
    return [piece];
  });
  return pieces.join("") + text.slice(at);
}
