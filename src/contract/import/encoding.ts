// Texts of other systems: what is not UTF-8 is UTF-16 or Windows-1252 (https://encoding.spec.whatwg.org).

const UTF_8 = "UTF-8";
type Encoding = typeof UTF_8 | "UTF-16LE" | "UTF-16BE" | "Windows-1252";

/** What no text has: control characters other than tabs, and ends of lines and pages. */
const NOT_TEXT = /[^\P{Cc}\t\n\f\r]/u;

/** Every so many bytes is a zero at least, as spaces and ends of lines have one in UTF-16, and Latin letters. */
const MOST_BETWEEN_ZEROS = 50;

function zerosIn(bytes: Uint8Array): [even: number, odd: number] {
  const zeros: [number, number] = [0, 0];
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) zeros[at % 2 === 0 ? 0 : 1] += 1;
  return zeros;
}

/** With fewer zeros, what would be UTF-8 without them is UTF-8 with a few stray ones. */
const MOST_BETWEEN_MANY_ZEROS = 4;

/** So much of the high bytes of UTF-16 is one and the same byte in most scripts; every other byte of a text is not. */
const UNIFORM = 0.9;
const LETTER = /[A-Za-z]/;

/** Whether nearly all even (0) or odd (1) bytes that are no zeros are one byte, such as the 0x09 of Devanagari. */
function isUniform(bytes: Uint8Array, side: 0 | 1): boolean {
  const counts = new Uint32Array(256);
  for (let at: number = side; at < bytes.length; at += 2) {
    const byte = bytes[at] ?? 0;
    counts[byte] = (counts[byte] ?? 0) + 1;
  }
  counts[0] = 0;
  const most = Math.max(...counts);
  const all = counts.reduce((sum, count) => sum + count, 0);
  return most >= UNIFORM * all && !LETTER.test(String.fromCharCode(counts.indexOf(most)));
}

function isUtf8BesideZeros(bytes: Uint8Array): boolean {
  const text = textIn(bytes, UTF_8);
  if (text === undefined || NOT_TEXT.test(text.replaceAll("\0", ""))) return false;
  return !isUniform(bytes, 0) && !isUniform(bytes, 1);
}

/** What is hardly in a text, but often in UTF-16 whose bytes are taken in the wrong order. */
const UNLIKELY = /(?![\t\n\f\r])[\p{Cc}\p{Cn}\p{Co}]/gu;

function unlikelyIn(bytes: Uint8Array, encoding: Encoding): number {
  const text = textIn(bytes, encoding);
  return text === undefined ? bytes.length : (text.match(UNLIKELY)?.length ?? 0);
}

/**
 * Zeros are the high bytes, unless signs end with one as well, such as U+3000, a space, U+4E00, "one", and U+AC00, a
 * syllable of Korean: then it is the order in which less is unlikely, or else has more zeros.
 */
function orderOf(bytes: Uint8Array, [even, odd]: [even: number, odd: number]): Encoding | undefined {
  const isMixed = even > 0 && odd > 0;
  const little = isMixed ? unlikelyIn(bytes, "UTF-16LE") : 0;
  const big = isMixed ? unlikelyIn(bytes, "UTF-16BE") : 0;
  const preference = big - little || odd - even;
  if (preference === 0) return undefined;
  return preference > 0 ? "UTF-16LE" : "UTF-16BE";
}

/** UTF-16 without a byte order mark, where it is evident from its zeros. */
function asUtf16(bytes: Uint8Array): Encoding | undefined {
  const [even, odd] = zerosIn(bytes);
  const zeros = Math.max(even, odd);
  if (zeros === 0 || bytes.length % 2 !== 0 || zeros * MOST_BETWEEN_ZEROS < bytes.length) return undefined;
  const isSure = Math.min(even, odd) === 0 && zeros * MOST_BETWEEN_MANY_ZEROS >= bytes.length;
  return isSure || !isUtf8BesideZeros(bytes) ? orderOf(bytes, [even, odd]) : undefined;
}

const startsWith = (bytes: Uint8Array, ...start: number[]) =>
  start.every((byte, index) => bytes[index] === byte);

/** The bytes from 0x80 on, which Node's decoder takes for those of Latin-1 (nodejs/node#56542). */
const FROM_80 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** The text in an encoding without its byte order mark; undefined if the bytes are none in it. */
function textIn(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes);
    if (encoding !== "Windows-1252") return text;
    return text.replace(/[\u0080-\u009f]/g, (sign) => FROM_80.charAt(sign.charCodeAt(0) - 0x80));
  } catch {
    return undefined;
  }
}

function* candidates(bytes: Uint8Array): Generator<Encoding | undefined> {
  if (startsWith(bytes, 0xff, 0xfe)) yield "UTF-16LE";
  if (startsWith(bytes, 0xfe, 0xff)) yield "UTF-16BE";
  yield asUtf16(bytes);
  yield UTF_8;
  yield "Windows-1252";
}

/**
 * Reads a text, and says in which encoding it was found to be. What is valid UTF-8 is taken as it is; of other encodings only
 * what has no control characters. Throws Error for bytes that are no text.
 */
export function readEncoded(bytes: Uint8Array): { text: string; encoding: Encoding } {
  for (const encoding of candidates(bytes)) {
    const text = encoding && textIn(bytes, encoding);
    if (text !== undefined && encoding && (encoding === UTF_8 || !NOT_TEXT.test(text)))
      return { text, encoding };
  }
  throw new Error("is not a text in UTF-8, UTF-16 or Windows-1252");
}

/** Any bytes could be a text in it. */
const GUESSED = ": if letters look wrong, save it as UTF-8 and import it again";

/** What to say of a text that was not UTF-8. */
export const noteOnEncoding = (encoding: Encoding): string[] =>
  encoding === UTF_8
    ? []
    : [`it is not UTF-8 and was read as ${encoding}${encoding === "Windows-1252" ? GUESSED : ""}`];
