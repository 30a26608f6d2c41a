import { EXPORT_FORMAT, EXPORT_VERSION } from "../../contract/export-format.ts";
import { closingLines, exportTally, lineBytes } from "./format.ts";

const AT = "2026-11-20T09:30:00.000Z";

const RECORDS = [
  { type: "header", format: EXPORT_FORMAT, schema_version: EXPORT_VERSION, exported_at: AT },
  {
    type: "folder",
    id: "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42",
    name: "Travel",
    parent_id: null,
    created_at: AT,
    updated_at: AT,
  },
];

function exampleFile(): string {
  const written = exportTally();
  const lines = RECORDS.map((record) => lineBytes(JSON.stringify(record)));
  for (const [index, line] of lines.entries()) written.add(RECORDS[index]?.type ?? "", line);
  return [...lines, ...closingLines(written)].map((line) => new TextDecoder().decode(line)).join("");
}

/** A file with one folder, for the documentation. It is ASCII, so its length is its size in bytes. */
export const EXAMPLE_FILE = exampleFile();

export const EXAMPLE_RECEIVED = 100;

/** The Content-Range header of the example's bytes from `start` to before `end`. */
export const exampleRange = (start: number, end: number) =>
  `bytes ${start}-${end - 1}/${EXAMPLE_FILE.length}`;
