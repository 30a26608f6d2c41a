import { readFileSync } from "node:fs";

/** The content of a JSON file; undefined if there is no such file, or if it is not complete. */
export function readJsonFile<Content>(file: string): Content | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Content;
  } catch {
    return undefined;
  }
}
