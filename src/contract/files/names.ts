// Names of files and folders that every system takes: Windows, macOS and Linux.

/** What Windows does not take, what ends a line, and what makes a name look like another one. */
const REFUSED =
  /[\p{Cc}\\/:*?"<>|\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\p{Noncharacter_Code_Point}]+/gu;

/** Devices of Windows, whatever follows a point, and what imports leave out. */
const RESERVED =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)|^(?:node_modules|__macosx)$/i;

/** Linux takes 255 bytes; an ending and a number follow, and Windows counts the whole path. */
const MAX_BYTES = 180;

/** Of a folder's path: macOS takes 1,024 bytes, with a file's name and with the folder where all of it is unpacked. */
export const MAX_PATH_BYTES = 700;

const encoder = new TextEncoder();
const bytesIn = (text: string) => encoder.encode(text).length;

/** As many characters as fit. */
function cut(name: string, most: number): string {
  if (bytesIn(name) <= most) return name;
  let bytes = 0;
  const kept: string[] = [];
  for (const character of name) {
    bytes += bytesIn(character);
    if (bytes > most) break;
    kept.push(character);
  }
  return kept.join("");
}

const withoutEnds = (name: string) => name.replace(/^[\s.]+|[\s.]+$/gu, "");

/** A title or a folder's name as the name of a file, without its ending. The result is its own safe name. */
export function safeName(title: string): string {
  const spaced = title.normalize("NFC").replace(REFUSED, " ").replace(/\s+/gu, " ");
  const name = withoutEnds(cut(withoutEnds(spaced), MAX_BYTES)) || "Untitled";
  return RESERVED.test(name) ? `_${name}` : name;
}

/** The name with a number, for the second and all further ones of it in a folder. */
export const numbered = (name: string, number: number) => (number === 1 ? name : `${name} (${number})`);

/** Whether a name is that one, or it with a number. */
export const isNumbered = (name: string, of: string) =>
  name === of || (name.startsWith(`${of} (`) && /^ \(\d+\)$/.test(name.slice(of.length)));
