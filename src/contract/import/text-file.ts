import { namesOf } from "../files/note.ts";
import { asName } from "../name-key.ts";
import { type FileTimes, timesOf } from "./dates.ts";
import { noteOnEncoding, readEncoded } from "./encoding.ts";
import { type Found, messageOf } from "./item.ts";
import { readText } from "./markdown.ts";
import { basename, foldersAbove, isBundle, withoutId } from "./paths.ts";

/** A text file: its path in the source, its bytes, and its times if known. */
export type TextFile = { source: string; path: string; bytes: Uint8Array; times?: FileTimes | undefined };

/**
 * Reads a text file as a document, with `tags` before its own. Its folders come from its path, with the names given in
 * the file.
 */
export function readTextFile({ source, path, bytes, times }: TextFile, tags: string[]): Found {
  const named = { where: path, path };
  try {
    const { text: written, encoding } = readEncoded(bytes);
    const { data, folders, ...text } = readText(written, path, tags);
    return {
      ...named,
      ...text,
      ...timesOf(data, times, text.notes),
      notes: [...noteOnEncoding(encoding), ...text.notes],
      source,
      name: basename(path),
      folders: namesOf(
        foldersAbove(path)
          .filter((name) => !isBundle(name))
          .map((name) => asName(withoutId(name))),
        folders,
      ),
    };
  } catch (problem) {
    return { ...named, why: messageOf(problem) };
  }
}
