import { isScalar, parseDocument, Scalar, stringify, visit, type visitorFn, type YAMLMap } from "yaml";
import type { FieldValues } from "./content.ts";

// Reads YAML as JSON values without changing how they were written, and writes it.

/** The parser is recursive. A request body may have up to 64 levels. */
const MAX_DEPTH = 50;

/** Whether brackets or indentation may be nested too deeply for the parser. */
export function isTooDeep(source: string): boolean {
  let open = 0;
  for (const [sign] of source.matchAll(/[[\]{}]/g)) {
    open = Math.max(0, open + (sign === "[" || sign === "{" ? 1 : -1));
    if (open > MAX_DEPTH) return true;
  }
  return source.match(/^[ \t?:-]+/gm)?.some(({ length }) => length > 2 * MAX_DEPTH) ?? false;
}

const lineAt = (source: string, position: number) => source.slice(0, position).split("\n").length;

/** Whether all keys of an object are scalars. Throws Error if one is repeated. */
function hasPlainKeys({ items }: YAMLMap): boolean {
  if (!items.every(({ key }) => isScalar(key))) return false;
  const names = new Set(items.map(({ key }) => String((key as Scalar).source)));
  if (names.size < items.length) throw new Error("a name occurs twice");
  return true;
}

/** Turns keys, and numbers that JSON would write differently, such as `007` and `1.10`, into the text as written. */
export const keepAsWritten: visitorFn<Scalar> = (at, scalar) => {
  const isInexact = typeof scalar.value === "number" && String(scalar.value) !== scalar.source;
  if (at === "key" || isInexact) scalar.value = scalar.source;
};

/**
 * Parses YAML. Values that JSON would write differently, such as `007`, `1.10` and `{{title}}`, become the text as written.
 * Throws Error if it is invalid, has tags, or is nested too deeply.
 */
export function readYaml(source: string): unknown {
  if (isTooDeep(source)) throw new Error("Lists or objects are nested too deeply");
  // Pretty errors take linear time, and the parser's own check for unique keys quadratic time.
  const document = parseDocument(source, { prettyErrors: false, uniqueKeys: false });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new Error(`${problem.message} in line ${lineAt(source, problem.pos[0])}`);
  visit(document, {
    Map: (_, map) =>
      hasPlainKeys(map) ? undefined : new Scalar(source.slice(map.range?.[0], map.range?.[1])),
    Scalar: keepAsWritten,
  });
  return document.toJS();
}

/** Formatting more than this, in characters of JSON, would block the thread for seconds. */
const MAX_FORMATTED_LENGTH = 20_000;

const NOT_PRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A value as JSON with all characters printable, which makes it valid YAML. */
export const toJsonYaml = (value: unknown) =>
  JSON.stringify(value).replace(
    NOT_PRINTABLE,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

export function toYaml(fields: FieldValues): string {
  const isShort = JSON.stringify(fields).length <= MAX_FORMATTED_LENGTH;
  if (isShort) return stringify(fields, { lineWidth: 0, aliasDuplicateObjects: false });
  return Object.entries(fields)
    .map(([name, value]) => `? ${toJsonYaml(name)}\n: ${toJsonYaml(value)}\n`)
    .join("");
}
