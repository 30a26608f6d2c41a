import { decodeText } from "../encoding.ts";
import { type FileSource, type OpenedFiles, readBytes, type TaskFileSource } from "../entries.ts";
import { parseNotionName } from "../notion-names.ts";
import { basename, extname } from "../paths.ts";
import { MAX_BODY_BYTES } from "../size-limits.ts";
import { readCsv } from "./csv.ts";
import { isTodoistCsv } from "./todoist-csv.ts";

const isTable = (path: string) => extname(path).toLowerCase() === ".csv" && !parseNotionName(path);

async function readTable(file: FileSource, count: (bytes: number) => void): Promise<Uint8Array | undefined> {
  if (file.size > MAX_BODY_BYTES) return undefined;
  count(file.size);
  const bytes = await readBytes(file);
  try {
    return isTodoistCsv(readCsv(decodeText(bytes).text).names) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the opened files as a Todoist backup if they are one: a CSV file per project, and nothing else. */
export async function readTodoistBackup(
  opened: OpenedFiles,
  count: (bytes: number) => void,
): Promise<OpenedFiles> {
  const paths = [...opened.entries.keys()];
  if (!paths.every(isTable)) return opened;
  const tasks = new Map<string, TaskFileSource>();
  for (const [path, file] of opened.entries) {
    const bytes = await readTable(file, count);
    if (bytes) tasks.set(path, { name: basename(path), bytes, isPart: true });
  }
  const found = opened.found.filter(({ where }) => !tasks.has(where));
  return { found, entries: opened.entries, tasks: [...tasks.values()] };
}
