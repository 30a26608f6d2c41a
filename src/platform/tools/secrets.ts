import { hasFile } from "../../contract/text/file-in-text.ts";
import { secretIn } from "../../contract/text/secrets.ts";
import { AppError, invalid } from "../core/errors.ts";

// What assistants are not to store.

/** Where anything may be named: to take it out of a text. */
const REMOVED = ["find_text"];

const isText = (value: unknown): value is string => typeof value === "string";

/** Refuses texts that look like secrets, and files as letters. What several records say is read with each of them. */
export function refuseTexts(fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (REMOVED.includes(name)) continue;
    const texts = [value].flat().filter(isText);
    const what = texts.map(secretIn).find(Boolean);
    if (what) throw new AppError(422, refusalOf(name, what), {}, "secret");
    if (texts.some(hasFile)) throw invalid(`${name}: ${NO_FILE}`);
  }
}

const refusalOf = (name: string, what: string) =>
  `${name}: contains what looks like ${what}, and nothing was stored. Tell the user that a password manager is the place ` +
  "for it; what you can store is where it is kept. If it is none, or they want it here all the same, they can write it in the app";

const NO_FILE =
  "contains a picture or another file as base64, and nothing was stored: as text nobody could see or find it. Give it in files, " +
  "of create_document, edit_document or remember, with its name and data or url";
