import { normalizeName } from "../../contract/name-key.ts";
import { originalFolderNames } from "../files/note.ts";
import { type FileTimes, readTimes } from "./dates.ts";
import { decodeText, encodingNotes } from "./encoding.ts";
import { errorMessage, type FoundEntry } from "./item.ts";
import { readNoteText } from "./markdown.ts";
import { basename, foldersAbove, isTextBundle, withoutNotionId } from "./paths.ts";

export type TextFile = { source: string; path: string; bytes: Uint8Array; times?: FileTimes | undefined };

/**
 * Reads a text file as a document, with `tags` before its own. Its folders come from its path, with the names given in
 * the file.
 */
export function readTextFile({ source, path, bytes, times }: TextFile, tags: string[]): FoundEntry {
  const named = { where: path, path };
  try {
    const { text: written, encoding } = decodeText(bytes);
    const { data, folders, ...text } = readNoteText(written, path, tags);
    return {
      ...named,
      ...text,
      ...readTimes(data, times, text.notes),
      notes: [...encodingNotes(encoding), ...text.notes],
      source,
      name: basename(path),
      folders: originalFolderNames(
        foldersAbove(path)
          .filter((name) => !isTextBundle(name))
          .map((name) => normalizeName(withoutNotionId(name))),
        folders,
      ),
    };
  } catch (problem) {
    return { ...named, why: errorMessage(problem) };
  }
}
