import { isMap, isNode, isScalar, type Pair, type YAMLMap } from "yaml";
import { type FieldValues, isObject } from "../../../../../src/shared/files/content.ts";
import { skipFrontMatter } from "../../../../../src/shared/markdown/blocks.ts";
import { applyPropertyChange, isSameValue, type PropertyChange } from "./change.ts";
import { isYamlOf, parseYaml, yamlLine } from "./value.ts";

// Reads and changes front matter in a text. Unchanged parts are preserved byte for byte.

/** Longer front matter is shown as source: parsing it would block the page. */
const MAX_READ = 20_000;

/** The range of the YAML, and where the text begins after it. */
type YamlRange = { start: number; end: number; after: number };

function yamlRange(text: string): YamlRange | undefined {
  const after = text.startsWith("---") ? skipFrontMatter(text) : 0;
  if (after === 0) return undefined;
  return { start: text.indexOf("\n") + 1, end: text.lastIndexOf("---", after - 1), after };
}

/** The text with its front matter replaced by spaces, so that offsets stay the same. */
export const withoutFrontMatter = (text: string): string => {
  const after = skipFrontMatter(text);
  return text.slice(0, after).replace(/[^\r\n]/g, " ") + text.slice(after);
};

/** Front matter that cannot be parsed: the reason and the source. */
export type UnreadableFrontMatter = { problem: string; source: string; fields?: never };

export type FrontMatter = { fields: FieldValues; source?: never } | UnreadableFrontMatter;

type ParsedYaml = { map: YAMLMap | undefined; fields: FieldValues };

/** Throws Error for invalid YAML. Undefined if it is prose between two horizontal rules. */
function parseMap(source: string): ParsedYaml | undefined {
  const { contents, value } = parseYaml(source, { isKept: true });
  const fields = value ?? {};
  return isObject(fields) ? { map: isMap(contents) ? contents : undefined, fields } : undefined;
}

export function readFrontMatter(text: string): FrontMatter | undefined {
  const place = yamlRange(text);
  if (!place) return undefined;
  const source = text.slice(place.start, place.end);
  if (source.length > MAX_READ) return { problem: "It is too long to show as rows.", source };
  try {
    const read = parseMap(source);
    return read && { fields: read.fields };
  } catch (problem) {
    const [reason = ""] = (problem as Error).message.split("\n");
    return { problem: `It is not valid YAML: ${reason.replace(/:$/, "")}.`, source };
  }
}

/** A part of the YAML and its replacement. */
type Splice = { from: number; to: number; insert: string };

/** The range of a value, without trailing line breaks. */
function valueRange(source: string, { key, value, srcToken }: Pair): { from: number; to: number } {
  const [, end = 0] = (isNode(key) && key.range) || [];
  const [start, stop] = (isNode(value) && value.range) || [end, end];
  const colon = srcToken?.sep?.find(({ type }) => type === "map-value-ind");
  // A value on the lines below begins after the colon.
  const isBelow = source.slice(end, start).includes("\n");
  const from = isBelow && colon ? colon.offset + 1 : start;
  return { from, to: Math.max(from, start + source.slice(start, stop).trimEnd().length) };
}

function lineSplice(source: string, pair: Pair): Splice {
  const [start = 0] = (isNode(pair.key) && pair.key.range) || [];
  const from = source.lastIndexOf("\n", start - 1) + 1;
  const last = source.indexOf("\n", valueRange(source, pair).to);
  return { from, to: last < 0 ? source.length : last + 1, insert: "" };
}

function valueSplice(source: string, pair: Pair, yaml: string): Splice {
  const { from, to } = valueRange(source, pair);
  const insert = source[from - 1] === ":" && yaml !== "" ? ` ${yaml}` : yaml;
  return { from, to, insert };
}

function nameSplice({ key }: Pair, to: string): Splice {
  const [start = 0, end = 0] = (isNode(key) && key.range) || [];
  return { from: start, to: end, insert: yamlLine(to) };
}

/** The ways to write a value: as it was typed, if every YAML parser reads that as the same value, and as normalized YAML. */
const spellings = ({ typed, value }: { typed: string; value: unknown }): string[] => [
  ...(isYamlOf(typed.trim(), value) ? [typed.trim()] : []),
  yamlLine(value),
];

/** The possible splices for a change, the preferred one first. */
function splicesFor(source: string, map: YAMLMap | undefined, change: PropertyChange): Splice[] {
  const { length } = source;
  if (change.kind === "add") {
    const line = (value: string) => `${yamlLine(change.name)}: ${value}`.trimEnd();
    const insert = spellings(change).map(line);
    const end = source.includes("\r\n") ? "\r\n" : "\n";
    return insert.map((one) => ({ from: length, to: length, insert: one + end }));
  }
  const pair = map?.items.find(({ key }) => isScalar(key) && String(key.value) === change.name);
  if (!pair) return [];
  if (change.kind === "remove") return [lineSplice(source, pair)];
  if (change.kind === "rename") return [nameSplice(pair, change.to)];
  return spellings(change).map((yaml) => valueSplice(source, pair, yaml));
}

const applySplice = (source: string, { from, to, insert }: Splice) =>
  source.slice(0, from) + insert + source.slice(to);

function hasFields(source: string, fields: FieldValues): boolean {
  try {
    return isSameValue(parseMap(source)?.fields, fields);
  } catch {
    return false;
  }
}

/** The text after a change in its front matter. Throws Error if the property can only be changed by hand. */
export function changeFrontMatter(text: string, change: PropertyChange): string {
  const place = yamlRange(text);
  const source = text.slice(place?.start, place?.end);
  const read = place && parseMap(source);
  if (!read) throw new Error("The front matter was changed elsewhere. Check it and try again");
  const fields = applyPropertyChange(read.fields, change);
  const next = splicesFor(source, read.map, change)
    .map((splice) => applySplice(source, splice))
    .find((yaml) => hasFields(yaml, fields));
  if (next === undefined) throw new Error(`“${change.name}” can only be changed in the text. Press Edit`);
  if (next.trim() === "") return text.slice(place.after);
  return text.slice(0, place.start) + next + text.slice(place.end);
}
