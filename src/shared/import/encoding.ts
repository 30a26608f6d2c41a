// Text files from other systems: UTF-8, UTF-16 or Windows-1252 (https://encoding.spec.whatwg.org).

const UTF_8 = "UTF-8";
type Encoding = typeof UTF_8 | "UTF-16LE" | "UTF-16BE" | "Windows-1252";

/** Control characters that no text contains; tabs, line ends and form feeds are allowed. */
const NOT_TEXT = /[^\P{Cc}\t\n\f\r]/u;

/** UTF-16 has at least one zero in this many bytes: spaces, line ends and Latin letters contain one. */
const MAX_BETWEEN_ZEROS = 50;

function countZeros(bytes: Uint8Array): [even: number, odd: number] {
  const zeros: [number, number] = [0, 0];
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) zeros[at % 2 === 0 ? 0 : 1] += 1;
  return zeros;
}

/** With fewer zeros than one in this many bytes, the text may be UTF-8 with stray zeros. */
const MAX_BETWEEN_MANY_ZEROS = 4;

/** In most scripts at least this share of the high bytes of UTF-16 is the same byte. That is not so in other encodings. */
const UNIFORM = 0.9;
const LETTER = /[A-Za-z]/;

/** Whether nearly all nonzero bytes on the even (0) or odd (1) side are the same, such as 0x09 in Devanagari. */
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
  const text = tryDecode(bytes, UTF_8);
  if (text === undefined || NOT_TEXT.test(text.replaceAll("\0", ""))) return false;
  return !isUniform(bytes, 0) && !isUniform(bytes, 1);
}

/** Characters rare in text, but frequent in UTF-16 read in the wrong byte order. */
const UNLIKELY = /(?![\t\n\f\r])[\p{Cc}\p{Cn}\p{Co}]/gu;

function countUnlikely(bytes: Uint8Array, encoding: Encoding): number {
  const text = tryDecode(bytes, encoding);
  return text === undefined ? bytes.length : (text.match(UNLIKELY)?.length ?? 0);
}

/**
 * Byte order by the side of the zeros, which are usually high bytes. Low bytes may be zero as well, as in U+3000 (space),
 * U+4E00 and U+AC00: then the order with fewer unlikely characters wins, and on a tie the one with more zeros.
 */
function byteOrder(bytes: Uint8Array, [even, odd]: [even: number, odd: number]): Encoding | undefined {
  const isMixed = even > 0 && odd > 0;
  const little = isMixed ? countUnlikely(bytes, "UTF-16LE") : 0;
  const big = isMixed ? countUnlikely(bytes, "UTF-16BE") : 0;
  const preference = big - little || odd - even;
  if (preference === 0) return undefined;
  return preference > 0 ? "UTF-16LE" : "UTF-16BE";
}

/** Detects UTF-16 without a byte order mark by its zeros. */
function detectUtf16(bytes: Uint8Array): Encoding | undefined {
  const [even, odd] = countZeros(bytes);
  const zeros = Math.max(even, odd);
  if (zeros === 0 || bytes.length % 2 !== 0 || zeros * MAX_BETWEEN_ZEROS < bytes.length) return undefined;
  const isSure = Math.min(even, odd) === 0 && zeros * MAX_BETWEEN_MANY_ZEROS >= bytes.length;
  return isSure || !isUtf8BesideZeros(bytes) ? byteOrder(bytes, [even, odd]) : undefined;
}

const startsWith = (bytes: Uint8Array, ...start: number[]) =>
  start.every((byte, index) => bytes[index] === byte);

/** Windows-1252 from 0x80 on, which Node's decoder reads as Latin-1 (nodejs/node#56542). */
const FROM_80 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** The text without its byte order mark; undefined if the bytes are invalid in this encoding. */
function tryDecode(bytes: Uint8Array, encoding: Encoding): string | undefined {
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
  yield detectUtf16(bytes);
  yield UTF_8;
  yield "Windows-1252";
}

/**
 * Decodes a text and reports its encoding. Valid UTF-8 is always accepted, other encodings only without control characters.
 * Throws an Error for bytes that are not text.
 */
export function decodeText(bytes: Uint8Array): { text: string; encoding: Encoding } {
  for (const encoding of candidates(bytes)) {
    const text = encoding && tryDecode(bytes, encoding);
    if (text !== undefined && encoding && (encoding === UTF_8 || !NOT_TEXT.test(text)))
      return { text, encoding };
  }
  throw new Error("is not a text in UTF-8, UTF-16 or Windows-1252");
}

/** Added for Windows-1252, because any bytes could be text in it. */
const GUESS_HINT = ": if letters look wrong, save it as UTF-8 and import it again";

export const encodingNotes = (encoding: Encoding): string[] =>
  encoding === UTF_8
    ? []
    : [`it is not UTF-8 and was read as ${encoding}${encoding === "Windows-1252" ? GUESS_HINT : ""}`];
