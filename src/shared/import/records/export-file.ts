import { EXPORT_FORMAT, EXPORT_SECTIONS, EXPORT_VERSION } from "../../../contract/export-format.ts";
import { hexDigest } from "../item.ts";

// An export file that contains only records, in the format of the service.

/**
 * The text of an export file.
 *
 * @param lines the lines of records
 * @param now instant of the export
 */
export function exportFileOfRecords(lines: readonly object[], now: string): string {
  const head = { type: "header", format: EXPORT_FORMAT, schema_version: EXPORT_VERSION, exported_at: now };
  const records = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const sections = Object.fromEntries(
    EXPORT_SECTIONS.map((name) => [
      name,
      name === "memory"
        ? { count: lines.length, sha256: hexDigest(records) }
        : { count: 0, sha256: hexDigest("") },
    ]),
  );
  const manifest = { type: "manifest", schema_version: EXPORT_VERSION, sections };
  const body = `${JSON.stringify(head)}\n${records}${JSON.stringify(manifest)}\n`;
  return `${body}${JSON.stringify({ type: "end", sha256: hexDigest(body) })}\n`;
}
