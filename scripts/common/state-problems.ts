import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { commandName } from "./settings.ts";

// Error messages about a state folder. They name the file and say what to do.

export const recoveryHint = (): string =>
  "Stop the service, move the folder v3 away, restore a backup " +
  `(\`${commandName("npm run restore -- <folder>", "commonplace restore <folder>")}\`) and start again: ` +
  "docs/operating.md#when-a-database-is-damaged";

/** SQLite's result codes: https://www.sqlite.org/rescode.html */
const DISK_FULL = 13;
const DATABASE_DAMAGED = [11, 26];

type Problem = Error & { code?: string; path?: string; errcode?: number };

function nearestFolder(path: string): string {
  return existsSync(path) && statSync(path).isDirectory() ? path : nearestFolder(dirname(path));
}

function diskFullMessage(path: string): string {
  const folder = nearestFolder(path);
  const { bavail, bsize } = statfsSync(folder);
  const left = `${Math.floor((bavail * bsize) / 1e6)} MB`;
  return `There is no space for ${path}: the disk of ${folder} is full (${left} left). Free some space and start again. No data is lost`;
}

const MESSAGES: Record<string, (path: string) => string> = {
  ENOSPC: diskFullMessage,
  EDQUOT: diskFullMessage,
  EEXIST: (path) => `${path} is a file, but must be a folder`,
  ENOTDIR: (path) => `${path} cannot be created: a part of its path is a file, but must be a folder`,
  EISDIR: (path) => `${path} is a folder, but must be a file`,
  EACCES: (path) =>
    `This user may not access ${path}: start the service as its owner, or give the file to this user`,
  EROFS: (path) => `${path} is on a read-only disk`,
};

const OTHER_FOLDER_HINT = "Move it away, or choose another folder: STATE_DIR=…";

/** Turns a problem with a file of the state folder into an error that says what to do. Returns others unchanged. */
export function explainStateProblem(problem: unknown, file: string): Error {
  const { code = "", path = file, errcode = 0, message } = problem as Problem;
  if ((errcode & 0xff) === DISK_FULL) return new Error(diskFullMessage(file));
  if (DATABASE_DAMAGED.includes(errcode & 0xff))
    return new Error(`${file} is damaged (${message}). ${recoveryHint()}`);
  const explanation = Object.hasOwn(MESSAGES, code) ? MESSAGES[code]?.(path) : undefined;
  if (!explanation) return problem as Error;
  return new Error(
    ["EEXIST", "ENOTDIR", "EISDIR"].includes(code) ? `${explanation}. ${OTHER_FOLDER_HINT}` : explanation,
  );
}

/** Runs `work` on a file and explains its problems. */
export function withExplainedProblems<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (problem) {
    throw explainStateProblem(problem, file);
  }
}
