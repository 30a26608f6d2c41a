import { badRequest } from "../core/errors.ts";

// Parsing JSON that is nested half a million levels deep, or has a hundred thousand names, takes a hundred times as long as
// noticing it. RFC 8259 section 9 allows limits on both.

/** Documents may have 32 levels of content. */
const MAX_DEPTH = 64;
const MAX_NAMES = 10_000;

const code = (character: string) => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COLON] = [code('"'), code("\\"), code(":")];
const OPENING = [code("{"), code("[")];

/** How much deeper each byte leads. */
const DEEPER = new Int8Array(256);
for (const byte of OPENING) DEEPER[byte] = 1;
for (const byte of [code("}"), code("]")]) DEEPER[byte] = -1;

/** Where the string ends whose text begins here: the place of its closing quote, or the length of the text. */
function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = at;
    while (escapes > from && bytes[escapes - 1] === BACKSLASH) escapes -= 1;
    if ((at - escapes) % 2 === 0) return at;
  }
  return bytes.length;
}

/** A byte order mark, which parsers leave out. */
const MARK = [0xef, 0xbb, 0xbf];
const SPACE = [...MARK, ...[" ", "\t", "\n", "\r"].map(code)];

const isObjectOrArray = (bytes: Uint8Array) =>
  OPENING.includes(bytes[bytes.findIndex((byte) => !SPACE.includes(byte))] ?? 0);

function checkJson(bytes: Uint8Array): void {
  let [depth, names] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    if (byte === COLON) names += 1;
    depth += DEEPER[byte] ?? 0;
    if (depth > MAX_DEPTH) throw badRequest(`The JSON is nested more than ${MAX_DEPTH} levels deep`);
    if (names > MAX_NAMES) throw badRequest(`The JSON has more than ${MAX_NAMES} names`);
  }
}

const FORM = /^application\/x-www-form-urlencoded\b/i;
const AMPERSAND = code("&");
const MAX_FIELDS = 100;

/** Form parsers, and what looks for a field among the others, take a time that is quadratic in their number. */
function checkForm(bytes: Uint8Array): void {
  let fields = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1)) fields += 1;
  if (fields > MAX_FIELDS) throw badRequest(`The form has more than ${MAX_FIELDS} fields`);
}

/**
 * Looks once at each byte of a body, before a parser does. Throws 400 if what may be JSON is nested too deeply or has too many
 * names, or a form has too many fields.
 *
 * @param type its media type
 */
export function checkBodyShape(bytes: Uint8Array, type: string): void {
  if (FORM.test(type)) checkForm(bytes);
  if (isObjectOrArray(bytes)) checkJson(bytes);
}
