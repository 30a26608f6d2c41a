// Images and other files that are embedded in a text as base64.

/** The first bytes of PNG, JPEG, GIF, WebP and other RIFF files, PDF and ZIP, in base64. */
const BEGINNINGS = "iVBORw0KGgo|/9j/[24]|R0lGOD[dl]h|UklGR|JVBERi0x|UEsDBB";

/** Minimum length, so that texts about such files do not match. */
const MIN_LETTERS = 200;

const FILE = new RegExp(
  `(?:data:[\\w.+-]{1,40}/[\\w.+-]{1,80};base64,\\s{0,2}|(?<![\\w+/])(?=${BEGINNINGS}))[\\w+/-]{${MIN_LETTERS}}`,
);

/** Whether a text contains a file as base64: a data URL, or the first bytes of a known format. Linear in the text. */
export const hasEmbeddedFile = (text: string): boolean => FILE.test(text);
