import { parseDocument, stringify } from "yaml";

// Values of properties as they are typed and shown in a field: in one line, as YAML reads them.

/** What says itself that it is a text, a list or an object. Two brackets are a link between notes. */
const MARKED = /^(?:["'{]|\[(?!\[))/;

/** YAML and where it stands in its source. Throws Error if it is none. */
export function parseYaml(source: string) {
  const document = parseDocument(source, { keepSourceTokens: true });
  const [error] = document.errors;
  if (error) throw error;
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

/** A value in one line of YAML. */
export const lineOf = (value: unknown): string =>
  stringify(value, {
    ...{ lineWidth: 0, blockQuote: false, aliasDuplicateObjects: false },
    ...{ collectionStyle: "flow", flowCollectionPadding: false },
  }).trim();

/** What a field shows of a value, which reads as that again. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string" && readValue(value) === value) return value;
  return typeof value === "string" ? JSON.stringify(value) : lineOf(value);
}
