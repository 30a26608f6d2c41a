// File and folder names that are valid on Windows, macOS and Linux.

/** Characters that Windows forbids, line ends, and invisible characters that make a name look like another one. */
const FORBIDDEN =
  /[\p{Cc}\\/:*?"<>|\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\p{Noncharacter_Code_Point}]+/gu;

/** Device names of Windows, with or without an extension, and folders that imports skip. */
const RESERVED =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)|^(?:node_modules|__macosx)$/i;

/** Linux allows 255 bytes. An extension and a number are added, and Windows limits the whole path. */
const MAX_BYTES = 180;

/** For the path of a folder. macOS allows 1,024 bytes, including the file name and the folder it is unpacked to. */
export const MAX_PATH_BYTES = 700;

const encoder = new TextEncoder();

/** As many whole characters as fit into `maxBytes` bytes. */
const truncateToBytes = (name: string, maxBytes: number) =>
  name.slice(0, encoder.encodeInto(name, new Uint8Array(maxBytes)).read);

const trimName = (name: string) => name.replace(/^[\s.]+|[\s.]+$/gu, "");

/** A title or folder name as a file name without extension. Idempotent. */
export function safeFileName(title: string): string {
  const spaced = title.normalize("NFC").replace(FORBIDDEN, " ").replace(/\s+/gu, " ");
  const name = trimName(truncateToBytes(trimName(spaced), MAX_BYTES)) || "Untitled";
  return RESERVED.test(name) ? `_${name}` : name;
}

/** The name with a number, from the second file of that name in a folder. */
export const numberedName = (name: string, number: number) => (number === 1 ? name : `${name} (${number})`);

/** Whether a name is `of`, with or without a number. */
export const isNumberedVariant = (name: string, of: string) =>
  name === of || (name.startsWith(`${of} (`) && /^ \(\d+\)$/.test(name.slice(of.length)));
