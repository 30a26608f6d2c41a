import { FILE_SCHEME } from "../../contract/file-limits.ts";
import { blocksByLine, skipFrontMatter } from "../markdown/blocks.ts";
import { linesFrom, nextLine } from "../markdown/line.ts";
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

/** An inline link or a link definition: what precedes the address, and the address. */
const ADDRESS =
  /(\]\([ \t]{0,3}|^ {0,3}\[[^[\]\n]{1,500}\]:[ \t]{0,3})(?:<([^<>\n]{1,2000})>|([^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500}){0,5}))/gm;
const HTML_PICTURE = /<img\s[^<>]{0,2000}>/gi;
const WIKI = /(!?)\[\[([^[\]|#\n]{1,500})(?:#[^[\]|\n]{0,200})?(?:\|([^[\]\n]{0,300}))?\]\]/g;

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp)$/i;
const SIZE = /^\d+(?:x\d+)?$/;

const linkText = (words: string) => words.replace(/\s+/g, " ").replace(/[[\]\\]/g, "\\$&");
const attribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}\\s{0,3}=\\s{0,3}(?:"([^"]*)"|'([^']*)')`, "i").exec(tag)?.slice(1).find(Boolean) ??
  "";

const link = (isPicture: boolean, words: string, id: string) =>
  `${isPicture ? "!" : ""}[${linkText(words)}](${FILE_SCHEME}${id})`;

function* linkReferences(text: string): Generator<TextReference> {
  for (const { 0: whole, 1: before = "", 2: inAngles, 3: bare, index } of text.matchAll(ADDRESS)) {
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
  for (const { 0: whole, 1: sign, 2: name = "", 3: alias = "", index } of text.matchAll(WIKI)) {
    const target = name.trim();
    const isPicture = sign === "!" && PICTURE.test(target);
    const words = alias && !SIZE.test(alias.trim()) ? alias : basename(target);
    const place = { start: index, end: index + whole.length };
    yield { ...place, target, isWiki: true, replacement: (id) => link(isPicture, words, id) };
  }
}

type Range = { start: number; end: number };

/** Inline code: between runs of backticks of the same length. */
function* inlineCode(text: string, { start, end }: Range): Generator<Range> {
  const runs = [...text.slice(start, end).matchAll(/`+/g)];
  const next = new Map<number, number>();
  const partner = new Map<number, number>();
  for (const [place, { 0: run }] of [...runs.entries()].reverse()) {
    const later = next.get(run.length);
    if (later !== undefined) partner.set(place, later);
    next.set(run.length, place);
  }
  for (let place = 0; place < runs.length; place++) {
    const other = partner.get(place);
    if (other === undefined) continue;
    yield { start: start + (runs[place]?.index ?? 0), end: start + (runs[other]?.index ?? 0) };
    place = other;
  }
}

function codeRanges(text: string): Range[] {
  const code: Range[] = [];
  const line = linesFrom(text, skipFrontMatter(text));
  for (const { leaf } of blocksByLine(text)) {
    nextLine(line);
    if (leaf.kind === "fenced" || leaf.kind === "indented") code.push({ start: line.start, end: line.next });
    else code.push(...inlineCode(text, line));
  }
  return code;
}

/** The references in a text, in order, ignoring code. */
export function findReferences(text: string): TextReference[] {
  const all = [...linkReferences(text), ...imageReferences(text), ...wikiReferences(text)];
  if (all.length === 0) return [];
  const code = codeRanges(text);
  let [coveredUntil, at] = [0, 0];
  return all
    .sort((one, other) => one.start - other.start)
    .filter(({ start, end }) => {
      while ((code[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at++;
      if ((code[at]?.start ?? Number.POSITIVE_INFINITY) < end || start < coveredUntil) return false;
      coveredUntil = end;
      return true;
    });
}

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
