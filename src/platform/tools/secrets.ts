import { secretKindIn } from "../../shared/text/secrets.ts";
import { unprocessable } from "../core/errors.ts";

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

// Content that assistants must not store.

/** Fields that may contain anything, because they name a text to be removed. */
const UNCHECKED = ["find_text"];

/** Throws 422 for texts that look like secrets, and for files as base64. Lists of records are checked record by record. */
export function rejectSecretsAndFiles(fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (UNCHECKED.includes(name)) continue;
    const texts = [value].flat().filter((one) => typeof one === "string");
    const what = texts.map(secretKindIn).find(Boolean);
    if (what) throw unprocessable(refusalOf(name, what), "secret");
    if (texts.some(hasEmbeddedFile)) throw unprocessable(`${name}: ${NO_FILE}`);
  }
}

const refusalOf = (name: string, what: string) =>
  `${name}: contains what looks like ${what}, and nothing was stored. Tell the user that it belongs in a password manager; ` +
  "you can store where it is kept. If it is not a secret, or they want it here anyway, they can add it in the app";

const NO_FILE =
  "contains a picture or another file as base64, and nothing was stored, because text cannot be viewed as a file. Send it in " +
  "files of create_document, edit_document or remember, with its name and data or url";
