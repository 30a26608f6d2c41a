import { FILE_SCHEME } from "../../contract/file-limits.ts";

export const FILE_REFERENCE = new RegExp(`${FILE_SCHEME}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`, "gi");

/** The ids of the files that a text refers to, without duplicates. */
export const fileIdsIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(FILE_REFERENCE), ([, id = ""]) => id.toLowerCase())),
];
