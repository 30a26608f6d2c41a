import { normalizeName } from "../../../contract/name-key.ts";
import { decodeText, encodingNotes } from "../encoding.ts";
import { type FileEntries, type FileSource, readBytes } from "../entries.ts";
import { errorMessage, type FoundEntry, type ImportItem, textContent } from "../item.ts";
import { parseNotionName, UNTITLED, withoutPageAddresses } from "../notion-names.ts";
import { basename, extname, foldersAbove, withoutNotionId } from "../paths.ts";
import { type CsvRow, readCsv } from "../records/csv.ts";
import { isTaskTable } from "../records/notion-csv.ts";
import { MAX_BODY_BYTES, tooLargeMessage } from "../size-limits.ts";

// The databases of a Notion export, one CSV file each.

export type NotionDatabase = {
  path: string;
  name: string;
  id: string;
  columns: string[];
  rows: CsvRow[];
  titles: ReadonlySet<string>;
  /** Whether its rows become records. */
  hasTasks: boolean;
  bytes: Uint8Array;
  notes: string[];
};

const isTable = (path: string) => extname(path).toLowerCase() === ".csv";

/** The files of databases, preferring the one with all rows, and the views that are skipped for it. */
function databaseFiles(entries: FileEntries): {
  files: [path: string, bytes: FileSource][];
  views: string[];
} {
  const tables = [...entries].filter(([path]) => isTable(path) && parseNotionName(path));
  const idOf = (path: string) => `${foldersAbove(path).join("/")} ${parseNotionName(path)?.id}`;
  const whole = new Set(tables.flatMap(([path]) => (parseNotionName(path)?.isAll ? [idOf(path)] : [])));
  const isView = (path: string) => !parseNotionName(path)?.isAll && whole.has(idOf(path));
  return {
    files: tables.filter(([path]) => !isView(path)),
    views: tables.map(([path]) => path).filter(isView),
  };
}

async function readDatabase(
  path: string,
  file: FileSource,
  count: (bytes: number) => void,
): Promise<NotionDatabase | FoundEntry> {
  if (file.size > MAX_BODY_BYTES) return { where: path, path, why: tooLargeMessage(file.size) };
  count(file.size);
  const bytes = await readBytes(file);
  let encoded: ReturnType<typeof decodeText>;
  try {
    encoded = decodeText(bytes);
  } catch (problem) {
    return { where: path, path, why: errorMessage(problem) };
  }
  const { names: columns, rows, refused } = readCsv(encoded.text);
  const [problem] = refused;
  if (problem) return { where: path, path, why: `cannot be read: ${problem.where}: ${problem.why}` };
  const { name = "", id = "" } = parseNotionName(path) ?? {};
  // Any date will do: whether a cell contains a day does not depend on it.
  const hasTasks = isTaskTable({ names: columns, rows }, "2000-01-01");
  const titles = new Set(rows.map(({ cells }) => normalizeName(cells[0] ?? "") || UNTITLED));
  return { path, name, id, columns, rows, titles, hasTasks, bytes, notes: encodingNotes(encoded.encoding) };
}

/** The databases of an export, and the entries for CSV files that were skipped or could not be read. */
export async function readDatabases(
  entries: FileEntries,
  count: (bytes: number) => void,
): Promise<{ databases: NotionDatabase[]; found: FoundEntry[] }> {
  const { files, views } = databaseFiles(entries);
  const all: (NotionDatabase | FoundEntry)[] = [];
  for (const [path, bytes] of files) all.push(await readDatabase(path, bytes, count));
  const leftOut = views.map((where) => ({ where, leftOut: "a view of a database that is imported in full" }));
  const isDatabase = (one: NotionDatabase | FoundEntry): one is NotionDatabase => "columns" in one;
  return {
    databases: all.filter(isDatabase),
    found: [...all.filter((one): one is FoundEntry => !isDatabase(one)), ...leftOut],
  };
}

const tableCell = (cell: string) =>
  withoutPageAddresses(cell).trim().replaceAll("\\", "\\\\").replaceAll("|", "\\|").replace(/\r?\n/g, "<br>");

/** A Markdown table in which the name of a row links to its page, if it has one. */
function markdownTable({ columns, rows }: NotionDatabase, pages: ReadonlySet<string>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  // Rows with fewer cells than columns are not padded: a few kilobytes could become gigabytes.
  const body = rows.map(({ cells }) =>
    line(
      cells.map((cell, at) => (at === 0 && pages.has(cell.trim()) ? `[[${cell.trim()}]]` : tableCell(cell))),
    ),
  );
  return line(columns.map(tableCell)) + line(columns.map(() => "---")) + body.join("");
}

/** A database without tasks, as a document. `pages`: titles of rows that can be linked to. */
export function databaseDocument(
  database: NotionDatabase,
  source: string,
  pages: ReadonlySet<string>,
): ImportItem {
  const { path, name: title } = database;
  return {
    where: path,
    source,
    path,
    name: basename(path),
    title,
    content: textContent(markdownTable(database, pages)),
    tags: [],
    folders: foldersAbove(path).map(withoutNotionId),
    notes: database.notes,
  };
}
