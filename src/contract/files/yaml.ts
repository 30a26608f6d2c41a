import { isScalar, parseDocument, Scalar, stringify, visit, type visitorFn, type YAMLMap } from "yaml";
import type { Fields } from "./content.ts";

// YAML as values of JSON, of which none is another than was written, and back.

/** The parser calls itself for each level, and a body may have 64 of them. */
const MAX_DEPTH = 50;

/** Whether brackets or indents may be deeper than the parser can follow. */
export function isDeep(source: string): boolean {
  let open = 0;
  for (const [sign] of source.matchAll(/[[\]{}]/g)) {
    open = Math.max(0, open + (sign === "[" || sign === "{" ? 1 : -1));
    if (open > MAX_DEPTH) return true;
  }
  return source.match(/^[ \t?:-]+/gm)?.some(({ length }) => length > 2 * MAX_DEPTH) ?? false;
}

const lineAt = (source: string, place: number) => source.slice(0, place).split("\n").length;

/** Whether all keys of an object are texts or the like. Throws Error if one is there twice. */
function hasPlainKeys({ items }: YAMLMap): boolean {
  if (!items.every(({ key }) => isScalar(key))) return false;
  const names = new Set(items.map(({ key }) => String((key as Scalar).source)));
  if (names.size < items.length) throw new Error("a name is there twice");
  return true;
}

/** Visits what JSON cannot say just so, such as `007` and `1.10`: it becomes the text that was written, as keys do. */
export const keepAsWritten: visitorFn<Scalar> = (at, scalar) => {
  const isInexact = typeof scalar.value === "number" && String(scalar.value) !== scalar.source;
  if (at === "key" || isInexact) scalar.value = scalar.source;
};

/**
 * What YAML says, as JSON has it. What JSON cannot say just so, such as `007`, `1.10` and `{{title}}`, is the text that was
 * written. Throws Error for what is not YAML, has tags, or is too deep.
 */
export function readYaml(source: string): unknown {
  if (isDeep(source)) throw new Error("Lists or objects are nested too deeply");
  // To make an error pretty takes as long as the source is, and to compare each key with all others its square.
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

/** To write more than this nicely would keep a thread busy for seconds. */
const MOST_WRITTEN_NICELY = 20_000;

const NOT_PRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A value as JSON, which is YAML where all of it is printable. */
export const flow = (value: unknown) =>
  JSON.stringify(value).replace(
    NOT_PRINTABLE,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Fields as YAML, one below the other. */
export function yamlOf(fields: Fields): string {
  const isShort = JSON.stringify(fields).length <= MOST_WRITTEN_NICELY;
  if (isShort) return stringify(fields, { lineWidth: 0, aliasDuplicateObjects: false });
  return Object.entries(fields)
    .map(([name, value]) => `? ${flow(name)}\n: ${flow(value)}\n`)
    .join("");
}
