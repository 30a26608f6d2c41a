import { EXPORT_FORMAT } from "../../../../src/contract/export-format.ts";

// Reads the header and the manifest of an export file locally.

const HEAD_BYTES = 1024;
/** Enough for the manifest and the end of the file. */
const TAIL_BYTES = 16 * 1024;

function parse(line: string | undefined): Record<string, unknown> {
  try {
    return Object(JSON.parse(line ?? ""));
  } catch {
    return {};
  }
}

const readHeader = async (file: Blob) => parse((await file.slice(0, HEAD_BYTES).text()).split("\n", 1)[0]);

/** Whether a file starts with the header of an export. */
export async function isArchive(file: Blob): Promise<boolean> {
  const { type, format } = await readHeader(file);
  return type === "header" && format === EXPORT_FORMAT;
}

/** When an export was written, and the number of records in its manifest, if they can be read. */
export async function readArchiveFacts(file: Blob): Promise<{ exportedAt?: string; records?: number }> {
  const { exported_at } = await readHeader(file);
  const lines = (await file.slice(-TAIL_BYTES).text()).trimEnd().split("\n");
  const { sections } = parse(lines.findLast((line) => line.startsWith('{"type":"manifest"')));
  const counts = Object.values(Object(sections)) as { count?: unknown }[];
  return {
    ...(typeof exported_at === "string" && { exportedAt: exported_at }),
    ...(counts.length > 0 && { records: counts.reduce((sum, { count }) => sum + Number(count), 0) }),
  };
}
