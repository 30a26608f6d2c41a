/** Decodes a text by its byte order mark, its declared encoding, or else as UTF-8 or, if it is not, Windows-1252. */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const named = declared === undefined ? undefined : findDecoder(declared);
  if (named) return named.decode(bytes);
  const text = new TextDecoder().decode(bytes);
  return isUtf8(text) ? text : new TextDecoder("windows-1252").decode(bytes);
}

/** A decoder by label (https://encoding.spec.whatwg.org/#names-and-labels); undefined for an unknown label. */
export function findDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label.trim());
  } catch {
    return undefined;
  }
}

/** Share of invalid characters tolerated in UTF-8, besides one at the end, which may be cut off. */
const DAMAGED_SHARE = 0.001;

const isUtf8 = (text: string) => text.split("\ufffd").length - 1 <= 1 + text.length * DAMAGED_SHARE;
