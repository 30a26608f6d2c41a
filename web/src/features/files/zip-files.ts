import { Zip, ZipPassThrough } from "fflate";
import { fileDownloadUrl, type StoredFile } from "../../api/files.ts";
import { ApiError } from "../../api/request.ts";
import { safeFileName } from "./file-facts.ts";

// Packs several files into one, because browsers ask before every download after the first.

/** The whole archive is in memory until the browser has saved it. */
export const MAX_ZIP_BYTES = 500_000_000;

type FileRefs = readonly Pick<StoredFile, "id" | "name">[];

/** Characters that some systems reject in file names. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are among them
const UNSAFE = /[\u0000-\u001f/\\:*?"<>|]/g;

/** The names in the archive; duplicates get a number. */
export function uniqueNames(files: FileRefs): string[] {
  const taken = new Set<string>();
  return files.map(({ name }) => {
    const safe = safeFileName(name).replace(UNSAFE, "-").replace(/^\.+/, "") || "Untitled";
    const [, stem = safe, ending = ""] = /^(.+?)(\.\w+)?$/.exec(safe) ?? [];
    let unique = safe;
    for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${stem} (${number})${ending}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

async function* readBytes(id: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(fileDownloadUrl(id), { headers: { "X-Requested-With": "commonplace" } });
  if (!answer.ok || !answer.body)
    throw new ApiError(answer.status, `The server answered with status ${answer.status}`);
  const reader = answer.body.getReader();
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read())
    if (value) yield value as Uint8Array<ArrayBuffer>;
}

/** Throws ApiError if any file cannot be read. */
export async function zipFiles(files: FileRefs): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((problem, piece) => {
    if (problem) throw problem;
    pieces.push(piece as Uint8Array<ArrayBuffer>);
  });
  const names = uniqueNames(files);
  for (const [place, { id }] of files.entries()) {
    // Uncompressed: pictures and videos are compressed already.
    const entry = new ZipPassThrough(names[place] ?? id);
    zip.add(entry);
    for await (const some of readBytes(id)) entry.push(some);
    entry.push(new Uint8Array(), true);
  }
  zip.end();
  return new Blob(pieces, { type: "application/zip" });
}
