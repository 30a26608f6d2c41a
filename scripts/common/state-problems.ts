import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { commandName } from "./settings.ts";

// What can be wrong with a state folder, in words that name the file and the way back.

export const wayBack = (): string =>
  "Stop the service, move the folder v3 away, restore a backup " +
  `(\`${commandName("npm run restore -- <folder>", "commonplace restore <folder>")}\`) and start again: ` +
  "docs/operating.md#when-a-database-is-damaged";

/** SQLite's results (https://www.sqlite.org/rescode.html), as node:sqlite numbers them. */
const FULL = 13;
const DAMAGED = [11, 26];

type Problem = Error & { code?: string; path?: string; errcode?: number };

/** The nearest folder that exists. */
function folderOf(path: string): string {
  return existsSync(path) && statSync(path).isDirectory() ? path : folderOf(dirname(path));
}

function noRoom(path: string): string {
  const folder = folderOf(path);
  const { bavail, bsize } = statfsSync(folder);
  const left = `${Math.floor((bavail * bsize) / 1e6)} MB`;
  return `There is no room for ${path}: the disk of ${folder} is full (${left} left). Make room there, and start again. Nothing is lost`;
}

const WORDS: Record<string, (path: string) => string> = {
  ENOSPC: noRoom,
  EDQUOT: noRoom,
  EEXIST: (path) => `${path} is a file where a folder has to be`,
  ENOTDIR: (path) => `${path} is in a file where a folder has to be`,
  EISDIR: (path) => `${path} is a folder where a file has to be`,
  EACCES: (path) =>
    `${path} belongs to somebody else: start the service as its owner, or give it to this user`,
  EROFS: (path) => `${path} is on a disk that cannot be written`,
};

const OTHER_FOLDER = "Move it away, or choose another folder: STATE_DIR=…";

/** A problem with a file of the state folder as an error that says what to do; any other as it is. */
export function explained(problem: unknown, file: string): Error {
  const { code = "", path = file, errcode = 0, message } = problem as Problem;
  if ((errcode & 0xff) === FULL) return new Error(noRoom(file));
  if (DAMAGED.includes(errcode & 0xff)) return new Error(`${file} is damaged (${message}). ${wayBack()}`);
  const words = Object.hasOwn(WORDS, code) ? WORDS[code]?.(path) : undefined;
  if (!words) return problem as Error;
  return new Error(["EEXIST", "ENOTDIR", "EISDIR"].includes(code) ? `${words}. ${OTHER_FOLDER}` : words);
}

/** Does something with a file, and throws its problems `explained`. */
export function naming<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (problem) {
    throw explained(problem, file);
  }
}
