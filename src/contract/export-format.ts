// What an export file is: one JSON object per line, `header`, the lines of each section, `manifest` with their counts and
// SHA-256, and `end` with the SHA-256 of everything before it.

export const EXPORT_FORMAT = "commonplace-export";
export const EXPORT_VERSION = 1;

/** The kinds of lines between the first and the last ones, in their order. */
export const EXPORT_SECTIONS = [
  "settings",
  "folder",
  "document",
  "document_version",
  "memory",
  "memory_event",
  "file",
  "attachment",
  "tidy_kept",
] as const;

/** In a zip, the lines are files of this name: one after the other they are the whole. */
export const linesName = (number: number): string => `commonplace-${String(number).padStart(5, "0")}.ndjson`;

export const isLinesName = (name: string): boolean => /^commonplace-\d{5}\.ndjson$/.test(name);

/** Which of a zip's files is which, a line for each: its id, SHA-256 and name in the account, and its path in the zip. */
export const FILES_NAME = "commonplace-files.ndjson";
