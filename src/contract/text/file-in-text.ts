// A picture or another file, written as base64 into a text.

/** The first bytes of PNG, JPEG, GIF, WebP and other RIFF files, PDF and ZIP, in base64. */
const BEGINNINGS = "iVBORw0KGgo|/9j/[24]|R0lGOD[dl]h|UklGR|JVBERi0x|UEsDBB";

/** Long enough to be a file, and no text that tells of one. */
const MIN_LETTERS = 200;

const FILE = new RegExp(
  `(?:data:[\\w.+-]{1,40}/[\\w.+-]{1,80};base64,\\s{0,2}|(?<![\\w+/])(?=${BEGINNINGS}))[\\w+/-]{${MIN_LETTERS}}`,
);

/** Whether a text contains a file as base64: as a data URL, or by the first bytes of its kind. Linear in the text. */
export const hasFile = (text: string): boolean => FILE.test(text);
