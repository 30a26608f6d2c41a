import { parseDocument, stringify, visit } from "yaml";
import { isTooDeep, keepAsWritten } from "../../../../../src/shared/files/yaml.ts";

// Converts property values to and from the text of a field: one line of YAML.

/** The start of a quoted text, a list or an object. Two brackets are a link between notes. */
const EXPLICIT = /^(?:["'{]|\[(?!\[))/;

function lineAndColumn(source: string, offset: number): string {
  const before = source.slice(0, offset);
  return `line ${before.split("\n").length}, column ${offset - before.lastIndexOf("\n")}`;
}

/** Throws Error if it is invalid. `isKept`: whether `007` stays the text "007", as in an import, instead of the number 7. */
export function parseYaml(source: string, { isKept = false } = {}) {
  if (isTooDeep(source)) throw new Error("Lists or objects are nested too deeply");
  // Formatting errors takes time proportional to the source for each error.
  const document = parseDocument(source, { keepSourceTokens: true, prettyErrors: false });
  const [error] = document.errors;
  if (error) throw new Error(`${error.message} at ${lineAndColumn(source, error.pos[0])}`);
  if (isKept) visit(document, { Scalar: keepAsWritten });
  return { contents: document.contents, value: document.toJS() as unknown };
}

/** Parses a value like YAML. If part of the input would be lost, such as words after a `#`, the value is the text as typed. */
export function parseValue(typed: string): unknown {
  const text = typed.trim();
  if (text === "") return null;
  try {
    const { value } = parseYaml(text);
    if (EXPLICIT.test(text)) return value;
    const isPlain = typeof value !== "object" || value === null;
    return isPlain && String(value) === text ? value : text;
  } catch {
    return text;
  }
}

/** Whether every YAML parser reads the typed text as this value. */
export function isYamlOf(typed: string, value: unknown): boolean {
  try {
    return JSON.stringify(parseYaml(typed).value) === JSON.stringify(value);
  } catch {
    return false;
  }
}

export const yamlLine = (value: unknown): string =>
  stringify(value, {
    lineWidth: 0,
    blockQuote: false,
    singleQuote: false,
    doubleQuotedAsJSON: true,
    aliasDuplicateObjects: false,
    collectionStyle: "flow",
    flowCollectionPadding: false,
  }).trim();

/** A longer text is always quoted: checking whether it needs quotes would take long. */
const MAX_PLAIN = 2000;

/** Whether a text can be shown in a one-line field without quotes. */
const isPlain = (text: string) =>
  text.length <= MAX_PLAIN && !/[\r\n]/.test(text) && parseValue(text) === text;

/** The text of a field for a value; `parseValue` turns it back into the value. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value === 0) return "0";
  // Without the space, two brackets would be a link between notes.
  if (typeof value !== "string") return yamlLine(value).replace(/^\[\[/, "[ [");
  return isPlain(value) ? value : JSON.stringify(value);
}
