import { type FileTimes, timesOf } from "./dates.ts";
import { decode, type Found, messageOf } from "./item.ts";
import { readText } from "./markdown.ts";
import { basename, extname, foldersAbove } from "./paths.ts";

const TEXT = /\.(md|mdx|markdown|txt)$/i;

/** Whether a name is passed over, whatever it stands for. */
export const isHidden = (name: string) => name.startsWith(".") || name === "node_modules";

/** The path down to its first hidden name, if it has one. */
export function hiddenPart(path: string, from = 0): string | undefined {
  const names = path.split("/");
  const first = names.findIndex((name, index) => index >= from && isHidden(name));
  return first < 0 ? undefined : names.slice(0, first + 1).join("/");
}

/** Why a file is left out, judged by its name; undefined for a text. */
export function whyLeftOut(name: string): string | undefined {
  if (isHidden(name)) return "hidden";
  return TEXT.test(name) ? undefined : `not a text (${extname(name) || "no extension"})`;
}

/** A text file: its path in the source, its bytes, and its times where they are known. */
export type TextFile = { source: string; path: string; bytes: Uint8Array; times?: FileTimes | undefined };

/** Reads a text file as a document, with `tags` before its own. Its folders are those of its path. */
export function readTextFile({ source, path, bytes, times }: TextFile, tags: string[]): Found {
  const named = { where: path, path };
  try {
    const { data, ...text } = readText(decode(bytes), path, tags);
    return {
      ...named,
      ...text,
      ...timesOf(data, times, text.notes),
      source,
      name: basename(path),
      folders: foldersAbove(path),
    };
  } catch (problem) {
    return { ...named, why: messageOf(problem) };
  }
}
