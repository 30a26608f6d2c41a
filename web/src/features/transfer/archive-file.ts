import { EXPORT_FORMAT } from "../../../../src/contract/export-format.ts";

// What can be seen of an export file without sending it.

const HEAD_BYTES = 1024;
/** The manifest and the end are far shorter. */
const TAIL_BYTES = 16 * 1024;

function parse(line: string | undefined): Record<string, unknown> {
  try {
    return Object(JSON.parse(line ?? ""));
  } catch {
    return {};
  }
}

const headOf = async (file: Blob) => parse((await file.slice(0, HEAD_BYTES).text()).split("\n", 1)[0]);

/** Whether a file begins as an export file does. */
export async function isArchive(file: Blob): Promise<boolean> {
  const { type, format } = await headOf(file);
  return type === "header" && format === EXPORT_FORMAT;
}

/** When an export file was written, and how many records its last lines promise, where they can be read. */
export async function readArchive(file: Blob): Promise<{ exportedAt?: string; records?: number }> {
  const { exported_at } = await headOf(file);
  const lines = (await file.slice(-TAIL_BYTES).text()).trimEnd().split("\n");
  const { sections } = parse(lines.findLast((line) => line.startsWith('{"type":"manifest"')));
  const counts = Object.values(Object(sections)) as { count?: unknown }[];
  return {
    ...(typeof exported_at === "string" && { exportedAt: exported_at }),
    ...(counts.length > 0 && { records: counts.reduce((sum, { count }) => sum + Number(count), 0) }),
  };
}
