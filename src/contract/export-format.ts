// The format of an export file, one JSON object per line: `header`, the lines of each section, `manifest` with their counts
// and SHA-256, and `end` with the SHA-256 of everything before it.

export const EXPORT_FORMAT = "commonplace-export";
export const EXPORT_VERSION = 1;

/** The kinds of lines between `header` and `manifest`, in order. */
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

/** Name of a part of the lines in a zip. Concatenated in order, the parts are the export file. */
export const exportPartName = (number: number): string =>
  `commonplace-${String(number).padStart(5, "0")}.ndjson`;

export const isExportPartName = (name: string): boolean => /^commonplace-\d{5}\.ndjson$/.test(name);

/** The index of files in a zip, one line per file: id, SHA-256, name in the account and path in the zip. */
export const FILE_INDEX_NAME = "commonplace-files.ndjson";
