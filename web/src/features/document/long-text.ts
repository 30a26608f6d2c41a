import type { Root as HtmlRoot, RootContent } from "hast";
import type { Nodes, Root } from "mdast";
import { blankComments, COMMENT_FILLER } from "../../../../src/shared/markdown/comments.ts";
import { skipDefinitions } from "../../../../src/shared/markdown/link-definitions.ts";
import { type Chunk, type DividedText, divideText } from "./chunks.ts";
import { type HeadingEntry, headingEntries } from "./prose-headings.ts";

// The chunks of a text as the Markdown parser gets them: each is preceded by the link definitions that it uses.

/** A chunk with what it needs of the rest of the text. */
export type TextChunk = Pick<Chunk, "from" | "to" | "continued" | "isTooDeep"> & {
  /** What the parser reads. */
  source: string;
  /** Offsets in `source` and in the text from which they count, ascending. */
  places: readonly (readonly [inSource: number, inText: number])[];
  headings: readonly HeadingEntry[];
  footnotes: ChunkFootnotes | undefined;
};

/** The numbers of the chunk's footnotes by identifier, and how often each was referred to in earlier chunks. */
type ChunkFootnotes = { numbers: ReadonlyMap<string, number>; earlier: ReadonlyMap<string, number> } | "end";

export type LongText = { chunks: TextChunk[]; headings: readonly HeadingEntry[] };

const normalized = (label: string) =>
  label
    .replace(/[\t\n\r ]+/g, " ")
    .trim()
    .toLowerCase();

const LABEL = /\[((?:\\[\s\S]|[^\\[\]]){1,999})\]/g;
const FOOTNOTE = /^ {0,3}\[\^([^\]\s]+)\]:/gm;
const FOOTNOTE_REFERENCE = /\[\^([^\]\s]+)\](?!:)/g;

/** The source of each link definition by its label. */
function definitionsIn(text: string, { bracketed }: DividedText): Map<string, string> {
  const definitions = new Map<string, string>();
  for (const { start, end } of bracketed) {
    const paragraph = text.slice(start, end);
    const defined = paragraph.startsWith("[^") ? "" : paragraph.slice(0, skipDefinitions(paragraph));
    const starts = [...defined.matchAll(/^[ \t>]*\[((?:\\[\s\S]|[^\\[\]]){1,999})\]:/gm)];
    for (const [index, { 1: label = "", index: from }] of starts.entries()) {
      const key = normalized(label);
      const source = defined.slice(from, starts[index + 1]?.index).trim();
      if (!definitions.has(key)) definitions.set(key, source);
    }
  }
  return definitions;
}

/** The definitions of the links in a part of the text. */
function usedDefinitions(part: string, definitions: ReadonlyMap<string, string>): string[] {
  const labels = new Set([...part.matchAll(LABEL)].map(([, label = ""]) => normalized(label)));
  return [...labels].flatMap((label) => definitions.get(label) ?? []);
}

/** The end of a footnote: its paragraph and the indented lines that follow. */
function footnoteEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length) {
    const next = /\n(?:[ \t]*\n)*(?! {4}|\t)/g;
    next.lastIndex = end;
    const found = next.exec(text);
    if (!found) return text.length;
    const isBlank = found[0].length > 1;
    end = found.index + found[0].length;
    if (isBlank) return end;
  }
  return end;
}

/** The footnotes of a text by identifier, with their offsets. */
function footnotesIn(text: string, { bracketed }: DividedText): Map<string, { from: number; to: number }> {
  const footnotes = new Map<string, { from: number; to: number }>();
  for (const { start } of bracketed) {
    if (!text.startsWith("[^", start)) continue;
    const end = footnoteEnd(text, start);
    const starts = [...text.slice(start, end).matchAll(FOOTNOTE)];
    for (const [index, { 1: label = "", index: from }] of starts.entries()) {
      const to = start + (starts[index + 1]?.index ?? end - start);
      if (!footnotes.has(normalized(label))) footnotes.set(normalized(label), { from: start + from, to });
    }
  }
  return footnotes;
}

/** The text with its footnotes blanked out: what refers to others in them is shown, and counted, at the end. */
function withoutFootnotes(
  text: string,
  footnotes: ReadonlyMap<string, { from: number; to: number }>,
): string {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to } of [...footnotes.values()].toSorted((one, other) => one.from - other.from)) {
    parts.push(text.slice(done, from), " ".repeat(to - from));
    done = to;
  }
  return parts.join("") + text.slice(done);
}

const referencesIn = (text: string, isKnown: (id: string) => boolean): string[] =>
  [...text.matchAll(FOOTNOTE_REFERENCE)].map(([, label = ""]) => normalized(label)).filter(isKnown);

/** The chunk at the end with all footnotes. A paragraph, which is not shown, refers to them in their order. */
function footnoteChunk(
  text: string,
  footnotes: ReadonlyMap<string, { from: number; to: number }>,
  { references, definitions }: { references: readonly string[]; definitions: ReadonlyMap<string, string> },
): TextChunk {
  let source = `${references.map((id) => `[^${id}]`).join(" ")}\n\n`;
  const places: [number, number][] = [[0, text.length]];
  for (const { from, to } of footnotes.values()) {
    places.push([source.length, from]);
    source += `${text.slice(from, to).trimEnd()}\n\n`;
  }
  source += usedDefinitions(source, definitions).join("\n\n");
  const end = { from: text.length, to: text.length, continued: undefined, isTooDeep: false };
  return { ...end, source, places, headings: [], footnotes: "end" };
}

const headingsOf = (headings: readonly HeadingEntry[], { from, to }: Chunk) =>
  headings.filter(({ start }) => start >= from && start < to);

/** Divides a text into chunks to be rendered, without its comments. */
export function readLongText(whole: string, title: string): LongText {
  // A comment may reach from one chunk to another.
  const text = blankComments(whole);
  const divided = divideText(text);
  const headings = headingEntries(divided.headings, title, text);
  const [first] = divided.chunks;
  if (divided.chunks.length <= 1) {
    const chunk = first ?? { from: 0, to: 0, continued: undefined, isTooDeep: false };
    return {
      chunks: [{ ...chunk, source: text, places: [[0, 0]], headings, footnotes: undefined }],
      headings,
    };
  }
  const definitions = definitionsIn(text, divided);
  const footnotes = footnotesIn(text, divided);
  const outside = withoutFootnotes(text, footnotes);
  const references = referencesIn(outside, (id) => footnotes.has(id));
  const numbers = new Map([...new Set(references)].map((id, index) => [id, index + 1]));
  const counted = new Map<string, number>();
  const chunks = divided.chunks.map((chunk): TextChunk => {
    const own = text.slice(chunk.from, chunk.to);
    const used = usedDefinitions(own, definitions);
    const here = referencesIn(outside.slice(chunk.from, chunk.to), (id) => footnotes.has(id));
    const earlier = new Map(here.map((id) => [id, counted.get(id) ?? 0]));
    const numbered = here.map((id) => [id, numbers.get(id) ?? 0] as const);
    for (const id of here) counted.set(id, (counted.get(id) ?? 0) + 1);
    const elsewhere = [...new Set(here)].map((id) => `[^${id}]: x`);
    const before = [...used, ...elsewhere].map((line) => `${line}\n\n`).join("");
    const opening = before + (chunk.continued?.opening ?? "");
    return {
      ...chunk,
      source: opening + own,
      places: [[opening.length, chunk.from]],
      headings: headingsOf(headings, chunk),
      footnotes: footnotes.size > 0 ? { numbers: new Map(numbered), earlier } : undefined,
    };
  });
  if (numbers.size > 0) chunks.push(footnoteChunk(text, footnotes, { references, definitions }));
  return { chunks, headings };
}

/** What a chunk adds to another with the same source. */
const keyOf = ({ from, headings, continued, footnotes }: TextChunk): string =>
  JSON.stringify([
    from,
    headings,
    continued,
    ...(typeof footnotes === "object" ? [[...footnotes.numbers], [...footnotes.earlier]] : []),
  ]);

/** Whether two chunks look the same, at the same place. */
export const isSameChunk = (one: TextChunk, other: TextChunk): boolean =>
  one === other || (one.source === other.source && keyOf(one) === keyOf(other));

/** The text of a chunk without comments. */
export const plainText = ({ source, from, to }: TextChunk): string =>
  source.slice(source.length - (to - from)).replaceAll(COMMENT_FILLER, "");

/** The offset in the text of an offset in a chunk's source. */
export function textPlace({ places }: TextChunk, offset: number): number {
  const [inSource, inText] = places.findLast(([at]) => at <= offset) ?? places[0] ?? [0, 0];
  return Math.max(inText, inText + offset - inSource);
}

/** The reverse of `textPlace`. */
export function sourcePlace({ places }: TextChunk, offset: number): number {
  const [inSource, inText] = places.findLast(([, at]) => at <= offset) ?? places[0] ?? [0, 0];
  return inSource + offset - inText;
}

type Positioned = { position?: { start: { offset?: number | undefined } } | undefined };

/** A rehype plugin: positions become those in the whole text. */
export const placeInText = (chunk: TextChunk) => (root: HtmlRoot) => {
  const move = (node: HtmlRoot | RootContent) => {
    const { position } = node as Positioned;
    if (position?.start.offset !== undefined)
      (node as Positioned).position = {
        ...position,
        start: { ...position.start, offset: textPlace(chunk, position.start.offset) },
      };
    if ("children" in node) for (const child of node.children) move(child);
  };
  move(root);
};

const anchor = (id: string) => encodeURI(id.toLowerCase());

/** A footnote's number as `mdast-util-to-hast` makes it. */
function referenceNode(identifier: string, number: number, times: number): Nodes {
  const properties = {
    href: `#user-content-fn-${anchor(identifier)}`,
    id: `user-content-fnref-${anchor(identifier)}${times > 1 ? `-${times}` : ""}`,
    dataFootnoteRef: true,
    ariaDescribedBy: ["footnote-label"],
  };
  const text = { type: "text", value: String(number) };
  const link = { type: "element", tagName: "a", properties, children: [text] };
  return { type: "footnoteNumber", data: { hName: "sup", hChildren: [link] } } as unknown as Nodes;
}

/** A remark plugin: the footnotes of a chunk have the numbers of the whole text, and are shown at its end. */
export const numberFootnotes =
  ({ footnotes }: TextChunk) =>
  () =>
  (root: Root): void => {
    if (!footnotes || footnotes === "end") return;
    const times = new Map(footnotes.earlier);
    const number = (node: Nodes): Nodes => {
      if (node.type === "footnoteReference") {
        const id = normalized(node.identifier);
        times.set(id, (times.get(id) ?? 0) + 1);
        return referenceNode(node.identifier, footnotes.numbers.get(id) ?? 0, times.get(id) ?? 1);
      }
      if ("children" in node)
        node.children = node.children
          .filter(({ type }) => type !== "footnoteDefinition")
          .map((child) => number(child as Nodes)) as typeof node.children;
      return node;
    };
    number(root);
  };

/** A rehype plugin: of the chunk with the footnotes, only these are shown. */
export const onlyFootnotes =
  ({ footnotes }: TextChunk) =>
  (root: HtmlRoot) => {
    if (footnotes === "end")
      root.children = root.children.filter((node) => node.type === "element" && node.tagName === "section");
  };

/** A rehype plugin: an ordered list that is continued goes on counting. */
export const continueNumbers =
  ({ continued }: TextChunk) =>
  (root: HtmlRoot) => {
    if (continued?.number === undefined) return;
    const list = root.children.find((node) => node.type === "element");
    if (list?.type === "element" && list.tagName === "ol") list.properties.start = continued.number;
  };
