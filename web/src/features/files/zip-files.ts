import { Zip, ZipPassThrough } from "fflate";
import { downloadAt, type StoredFile } from "../../api/files.ts";
import { ApiError } from "../../api/request.ts";
import { shownName } from "./words.ts";

// Several files as one: browsers ask before each file that is saved after the first.

/** All of it is in memory until the browser has it. */
export const MOST_BYTES = 500_000_000;

type Some = readonly Pick<StoredFile, "id" | "name">[];

/** What no system takes in a name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are among it
const UNSAFE = /[\u0000-\u001f/\\:*?"<>|]/g;

/** The names in the zip: those that several have get a number. */
export function namesFor(files: Some): string[] {
  const taken = new Set<string>();
  return files.map(({ name }) => {
    const safe = shownName(name).replace(UNSAFE, "-").replace(/^\.+/, "") || "Untitled";
    const [, stem = safe, ending = ""] = /^(.+?)(\.\w+)?$/.exec(safe) ?? [];
    let unique = safe;
    for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${stem} (${number})${ending}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

async function* bytesOf(id: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(downloadAt(id), { headers: { "X-Requested-With": "commonplace" } });
  if (!answer.ok || !answer.body) throw new ApiError(answer.status, `The service answered ${answer.status}`);
  const reader = answer.body.getReader();
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read())
    if (value) yield value as Uint8Array<ArrayBuffer>;
}

/** Throws ApiError when one of them cannot be had. */
export async function zipped(files: Some): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((problem, piece) => {
    if (problem) throw problem;
    pieces.push(piece as Uint8Array<ArrayBuffer>);
  });
  const names = namesFor(files);
  for (const [place, { id }] of files.entries()) {
    // Pictures and films are as small as they can be.
    const entry = new ZipPassThrough(names[place] ?? id);
    zip.add(entry);
    for await (const some of bytesOf(id)) entry.push(some);
    entry.push(new Uint8Array(), true);
  }
  zip.end();
  return new Blob(pieces, { type: "application/zip" });
}
