import { asName } from "../../name-key.ts";
import { noteOnEncoding, readEncoded } from "../encoding.ts";
import type { Bytes, Entries } from "../entries.ts";
import { type Found, type Item, messageOf, prose } from "../item.ts";
import { notionNameOf, UNTITLED, withoutAddresses } from "../notion-names.ts";
import { basename, extname, foldersAbove, withoutId } from "../paths.ts";
import { type CsvRow, readCsv } from "../records/csv.ts";
import { isTaskTable } from "../records/notion-csv.ts";
import { MAX_BODY_BYTES, tooLarge } from "../size.ts";

// The databases of a Notion export, one CSV file each.

export type Database = {
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
function databaseFiles(entries: Entries): { files: [path: string, bytes: Bytes][]; views: string[] } {
  const tables = [...entries].filter(([path]) => isTable(path) && notionNameOf(path));
  const idOf = (path: string) => `${foldersAbove(path).join("/")} ${notionNameOf(path)?.id}`;
  const whole = new Set(tables.flatMap(([path]) => (notionNameOf(path)?.isAll ? [idOf(path)] : [])));
  const isView = (path: string) => !notionNameOf(path)?.isAll && whole.has(idOf(path));
  return {
    files: tables.filter(([path]) => !isView(path)),
    views: tables.map(([path]) => path).filter(isView),
  };
}

async function readDatabase(
  path: string,
  file: Bytes,
  count: (bytes: number) => void,
): Promise<Database | Found> {
  if (file.size > MAX_BODY_BYTES) return { where: path, path, why: tooLarge(file.size) };
  count(file.size);
  const bytes = new Uint8Array(await new Response(file.stream()).arrayBuffer());
  let encoded: ReturnType<typeof readEncoded>;
  try {
    encoded = readEncoded(bytes);
  } catch (problem) {
    return { where: path, path, why: messageOf(problem) };
  }
  const { names: columns, rows, refused } = readCsv(encoded.text);
  const [problem] = refused;
  if (problem) return { where: path, path, why: `cannot be read: ${problem.where}: ${problem.why}` };
  const { name = "", id = "" } = notionNameOf(path) ?? {};
  // Any date will do: whether a cell contains a day does not depend on it.
  const hasTasks = isTaskTable({ names: columns, rows }, "2000-01-01");
  const titles = new Set(rows.map(({ cells }) => asName(cells[0] ?? "") || UNTITLED));
  return { path, name, id, columns, rows, titles, hasTasks, bytes, notes: noteOnEncoding(encoded.encoding) };
}

/** The databases of an export, and the entries for CSV files that were skipped or could not be read. */
export async function databasesIn(
  entries: Entries,
  count: (bytes: number) => void,
): Promise<{ databases: Database[]; found: Found[] }> {
  const { files, views } = databaseFiles(entries);
  const all: (Database | Found)[] = [];
  for (const [path, bytes] of files) all.push(await readDatabase(path, bytes, count));
  const leftOut = views.map((where) => ({ where, leftOut: "a view of a database that is imported in full" }));
  const isDatabase = (one: Database | Found): one is Database => "columns" in one;
  return {
    databases: all.filter(isDatabase),
    found: [...all.filter((one): one is Found => !isDatabase(one)), ...leftOut],
  };
}

const tableCell = (cell: string) =>
  withoutAddresses(cell).trim().replaceAll("\\", "\\\\").replaceAll("|", "\\|").replace(/\r?\n/g, "<br>");

/** A Markdown table in which the name of a row links to its page, if it has one. */
function markdownTable({ columns, rows }: Database, pages: ReadonlySet<string>): string {
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
export function documentOf(database: Database, source: string, pages: ReadonlySet<string>): Item {
  const { path, name: title } = database;
  return {
    where: path,
    source,
    path,
    name: basename(path),
    title,
    content: prose(markdownTable(database, pages)),
    tags: [],
    folders: foldersAbove(path).map(withoutId),
    notes: database.notes,
  };
}
