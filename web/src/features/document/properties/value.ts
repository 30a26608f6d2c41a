import { parseDocument, stringify, visit } from "yaml";
import { isDeep, keepAsWritten } from "../../../../../src/contract/files/yaml.ts";

// Values of properties as they are typed and shown in a field: in one line, as YAML reads them.

/** What says itself that it is a text, a list or an object. Two brackets are a link between notes. */
const MARKED = /^(?:["'{]|\[(?!\[))/;

/** Where a place is, as a person counts. */
function lineAndColumn(source: string, place: number): string {
  const before = source.slice(0, place);
  return `line ${before.split("\n").length}, column ${place - before.lastIndexOf("\n")}`;
}

/**
 * YAML and where it stands in its source. Throws Error if it is none.
 *
 * @param isKept whether `007` is that text, as an import reads it, and not 7
 */
export function parseYaml(source: string, { isKept = false } = {}) {
  if (isDeep(source)) throw new Error("Lists or objects are nested too deeply");
  // To make an error pretty takes as long as the source is, for each of them.
  const document = parseDocument(source, { keepSourceTokens: true, prettyErrors: false });
  const [error] = document.errors;
  if (error) throw new Error(`${error.message} at ${lineAndColumn(source, error.pos[0])}`);
  if (isKept) visit(document, { Scalar: keepAsWritten });
  return { contents: document.contents, value: document.toJS() as unknown };
}

/**
 * Reads a value: `12`, `true`, `[a, b]` and `"12"` are what they are in YAML. What YAML would take something away from, such
 * as a number with zeros at its end or words behind a `#`, is the text that was typed.
 */
export function readValue(typed: string): unknown {
  const text = typed.trim();
  if (text === "") return null;
  try {
    const { value } = parseYaml(text);
    if (MARKED.test(text)) return value;
    const isPlain = typeof value !== "object" || value === null;
    return isPlain && String(value) === text ? value : text;
  } catch {
    return text;
  }
}

/** Whether a value is written in such a way that every program reads it. */
export function isWrittenAs(typed: string, value: unknown): boolean {
  try {
    return JSON.stringify(parseYaml(typed).value) === JSON.stringify(value);
  } catch {
    return false;
  }
}

/** A value in one line of YAML. */
export const lineOf = (value: unknown): string =>
  stringify(value, {
    ...{ lineWidth: 0, blockQuote: false, singleQuote: false, doubleQuotedAsJSON: true },
    aliasDuplicateObjects: false,
    ...{ collectionStyle: "flow", flowCollectionPadding: false },
  }).trim();

/** A longer text is written in quotes: whether it needs them would take long to find out. */
const MAX_PLAIN = 2000;

/** Whether a text may stand in a field, which is one line, as it is. */
const isPlain = (text: string) =>
  text.length <= MAX_PLAIN && !/[\r\n]/.test(text) && readValue(text) === text;

/** What a field shows of a value, which reads as that again. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value === 0) return "0";
  // Two brackets without a space would be a link.
  if (typeof value !== "string") return lineOf(value).replace(/^\[\[/, "[ [");
  return isPlain(value) ? value : JSON.stringify(value);
}
