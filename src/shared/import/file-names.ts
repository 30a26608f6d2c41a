import { extname } from "./paths.ts";

const TEXT = /\.(md|mdx|markdown|txt)$/i;

export const isHidden = (name: string) => name.startsWith(".") || name === "node_modules";

export function hiddenPart(path: string, from = 0): string | undefined {
  const names = path.split("/");
  const first = names.findIndex((name, index) => index >= from && isHidden(name));
  return first < 0 ? undefined : names.slice(0, first + 1).join("/");
}

export const isTextFile = (path: string) => TEXT.test(path);

/** Why a file is skipped, judged by its name; undefined for a text file. */
export function skipReason(name: string): string | undefined {
  if (isHidden(name)) return "hidden";
  return TEXT.test(name) ? undefined : `not supported (${extname(name) || "no extension"})`;
}
