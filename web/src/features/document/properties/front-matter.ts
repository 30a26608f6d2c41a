import { isMap, isNode, isScalar, type Pair, type YAMLMap } from "yaml";
import { type Fields, isObject } from "../../../../../src/contract/files/content.ts";
import { skipFrontMatter } from "../../../../../src/contract/markdown/blocks.ts";
import { type Change, changedFields, isSame } from "./change.ts";
import { isWrittenAs, lineOf, parseYaml } from "./value.ts";

// Front matter that is written in the text. What is not changed in it stays as it was written, to the byte.

/** Longer front matter is shown as it is written: to read it would keep the page busy. */
const MAX_READ = 20_000;

/** Where the YAML is, and where the text goes on after it. */
type Place = { start: number; end: number; after: number };

function placeIn(text: string): Place | undefined {
  const after = text.startsWith("---") ? skipFrontMatter(text) : 0;
  if (after === 0) return undefined;
  return { start: text.indexOf("\n") + 1, end: text.lastIndexOf("---", after - 1), after };
}

/** The text with spaces in the place of its front matter, so that what follows stays where it is. */
export const withoutFrontMatter = (text: string): string => {
  const after = skipFrontMatter(text);
  return text.slice(0, after).replace(/[^\r\n]/g, " ") + text.slice(after);
};

/** Front matter that is no YAML: why, and as it is written. */
export type Unreadable = { problem: string; source: string; fields?: never };

/** What is read of front matter. */
export type FrontMatter = { fields: Fields; source?: never } | Unreadable;

type Parsed = { map: YAMLMap | undefined; fields: Fields };

/** Throws Error if it is no YAML. Undefined if it is prose between two rules. */
function parsed(source: string): Parsed | undefined {
  const { contents, value } = parseYaml(source, { isKept: true });
  const fields = value ?? {};
  return isObject(fields) ? { map: isMap(contents) ? contents : undefined, fields } : undefined;
}

/** The front matter that a text begins with; undefined if it has none. */
export function readFrontMatter(text: string): FrontMatter | undefined {
  const place = placeIn(text);
  if (!place) return undefined;
  const source = text.slice(place.start, place.end);
  if (source.length > MAX_READ) return { problem: "It is too long to be shown as rows.", source };
  try {
    const read = parsed(source);
    return read && { fields: read.fields };
  } catch (problem) {
    const [reason = ""] = (problem as Error).message.split("\n");
    return { problem: `It is not valid YAML: ${reason.replace(/:$/, "")}.`, source };
  }
}

/** A part of the YAML, and what stands in its place afterwards. */
type Splice = { from: number; to: number; insert: string };

/** Where a value is, without the line breaks behind it. */
function valueIn(source: string, { key, value, srcToken }: Pair): { from: number; to: number } {
  const [, end = 0] = (isNode(key) && key.range) || [];
  const [start, stop] = (isNode(value) && value.range) || [end, end];
  const colon = srcToken?.sep?.find(({ type }) => type === "map-value-ind");
  // What stands on the lines below begins behind the colon.
  const isBelow = source.slice(end, start).includes("\n");
  const from = isBelow && colon ? colon.offset + 1 : start;
  return { from, to: Math.max(from, start + source.slice(start, stop).trimEnd().length) };
}

function lineSplice(source: string, pair: Pair): Splice {
  const [start = 0] = (isNode(pair.key) && pair.key.range) || [];
  const from = source.lastIndexOf("\n", start - 1) + 1;
  const last = source.indexOf("\n", valueIn(source, pair).to);
  return { from, to: last < 0 ? source.length : last + 1, insert: "" };
}

function valueSplice(source: string, pair: Pair, written: string): Splice {
  const { from, to } = valueIn(source, pair);
  const insert = source[from - 1] === ":" && written !== "" ? ` ${written}` : written;
  return { from, to, insert };
}

function nameSplice({ key }: Pair, to: string): Splice {
  const [start = 0, end = 0] = (isNode(key) && key.range) || [];
  return { from: start, to: end, insert: lineOf(to) };
}

/** How a value can be written: as it was typed, if every program reads it from that. */
const waysOf = ({ typed, value }: { typed: string; value: unknown }): string[] => [
  ...(isWrittenAs(typed.trim(), value) ? [typed.trim()] : []),
  lineOf(value),
];

/** The ways in which a change can be written, the one that was typed first. */
function splicesFor(source: string, map: YAMLMap | undefined, change: Change): Splice[] {
  const { length } = source;
  if (change.kind === "add") {
    const line = (value: string) => `${lineOf(change.name)}: ${value}`.trimEnd();
    const insert = waysOf(change).map(line);
    const end = source.includes("\r\n") ? "\r\n" : "\n";
    return insert.map((one) => ({ from: length, to: length, insert: one + end }));
  }
  const pair = map?.items.find(({ key }) => isScalar(key) && String(key.value) === change.name);
  if (!pair) return [];
  if (change.kind === "remove") return [lineSplice(source, pair)];
  if (change.kind === "rename") return [nameSplice(pair, change.to)];
  return waysOf(change).map((written) => valueSplice(source, pair, written));
}

const spliced = (source: string, { from, to, insert }: Splice) =>
  source.slice(0, from) + insert + source.slice(to);

/** Whether YAML says just these properties. */
function says(source: string, fields: Fields): boolean {
  try {
    return isSame(parsed(source)?.fields, fields);
  } catch {
    return false;
  }
}

/**
 * The text after a change of one property in its front matter, which goes with its last line. Throws Error if it is written
 * in a way in which only a person can change it.
 */
export function changedText(text: string, change: Change): string {
  const place = placeIn(text);
  const source = text.slice(place?.start, place?.end);
  const read = place && parsed(source);
  if (!read) throw new Error("The front matter is another by now: look at it again");
  const fields = changedFields(read.fields, change);
  const next = splicesFor(source, read.map, change)
    .map((splice) => spliced(source, splice))
    .find((yaml) => says(yaml, fields));
  if (next === undefined) throw new Error(`“${change.name}” can only be changed in the text: press Edit`);
  if (next.trim() === "") return text.slice(place.after);
  return text.slice(0, place.start) + next + text.slice(place.end);
}
