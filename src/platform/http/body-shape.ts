import { badRequest } from "../core/errors.ts";

// Parsing JSON with half a million levels or a hundred thousand names takes a hundred times as long as detecting it. RFC 8259
// section 9 allows limits on both.

/** Documents may have 32 levels of content. */
const MAX_DEPTH = 64;
const MAX_NAMES = 10_000;

const code = (character: string) => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COLON] = [code('"'), code("\\"), code(":")];
const OPENING = [code("{"), code("[")];

/** Change of the nesting depth by each byte. */
const DEPTH_CHANGE = new Int8Array(256);
for (const byte of OPENING) DEPTH_CHANGE[byte] = 1;
for (const byte of [code("}"), code("]")]) DEPTH_CHANGE[byte] = -1;

/** Position of the closing quote of a string whose content begins at `from`; the length of `bytes` if there is none. */
function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = at;
    while (escapes > from && bytes[escapes - 1] === BACKSLASH) escapes -= 1;
    if ((at - escapes) % 2 === 0) return at;
  }
  return bytes.length;
}

/** The byte order mark, which parsers skip. */
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
    depth += DEPTH_CHANGE[byte] ?? 0;
    if (depth > MAX_DEPTH) throw badRequest(`The JSON is nested more than ${MAX_DEPTH} levels deep`);
    if (names > MAX_NAMES) throw badRequest(`The JSON has more than ${MAX_NAMES} names`);
  }
}

const FORM = /^application\/x-www-form-urlencoded\b/i;
const AMPERSAND = code("&");
const MAX_FIELDS = 100;

/** Parsing a form and looking up its fields takes time quadratic in their number. */
function checkForm(bytes: Uint8Array): void {
  let fields = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1)) fields += 1;
  if (fields > MAX_FIELDS) throw badRequest(`The form has more than ${MAX_FIELDS} fields`);
}

/** Reads each byte once. Throws 400 if possible JSON is nested too deeply or has too many names, or a form has too many fields. */
export function checkBodyShape(bytes: Uint8Array, mediaType: string): void {
  if (FORM.test(mediaType)) checkForm(bytes);
  if (isObjectOrArray(bytes)) checkJson(bytes);
}
