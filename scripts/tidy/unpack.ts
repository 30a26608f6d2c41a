import { gunzipSync, strFromU8, unzipSync } from "fflate";

const ZIP = [0x50, 0x4b, 0x03, 0x04];
const GZIP = [0x1f, 0x8b];

const hasPrefix = (bytes: Uint8Array, magic: readonly number[]) =>
  magic.every((byte, position) => bytes[position] === byte);

/** The files with memories in OpenMemory's zip, the most detailed one first. */
const MEMORY_FILES = ["memories.jsonl.gz", "memories.json"];

/** The text of a file, which may be compressed. Throws for other zips than OpenMemory's. */
export function unpackText(bytes: Uint8Array): string {
  if (hasPrefix(bytes, GZIP)) return strFromU8(gunzipSync(bytes));
  if (!hasPrefix(bytes, ZIP)) return new TextDecoder().decode(bytes);
  const isMemoryFile = (path: string) =>
    MEMORY_FILES.some((name) => path === name || path.endsWith(`/${name}`));
  const files = Object.entries(unzipSync(bytes, { filter: ({ name }) => isMemoryFile(name) }));
  const [found] = MEMORY_FILES.flatMap((name) => files.filter(([path]) => path.endsWith(name)));
  if (!found)
    throw new Error(
      "This zip is not an OpenMemory backup: it has neither memories.jsonl.gz nor memories.json",
    );
  return unpackText(found[1]);
}
