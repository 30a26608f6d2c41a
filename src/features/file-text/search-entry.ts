import { sql } from "drizzle-orm";
import { omit } from "../../contract/omit.ts";
import type { OutdatedEntry } from "../../engine/index.ts";

// The search entries of a file: one for its name and caption, and one for each page of its text.

const FILE = "file" as const;

type FileName = { id: string; name: string; alt: string | null };

export const nameEntry = ({ id, name, alt }: FileName) => ({
  kind: FILE,
  record: id,
  title: name,
  tags: [] as string[],
  text: alt ?? "",
});

export const pageEntry = (id: string, page: number, text: string) => ({
  kind: FILE,
  record: `${id}/${page}`,
  title: "",
  tags: [] as string[],
  text,
});

/** Joins the file and the page of a search entry `e`. */
export const FILE_JOINS = `
  LEFT JOIN files f ON e.kind = 'file' AND f.owner = e.owner AND f.id = substr(e.record, 1, 36)
  LEFT JOIN file_texts ft ON ft.owner = f.owner AND ft.file_id = f.id AND ft.page = CAST(substr(e.record, 38) AS INTEGER)`;
export const FILE_COLUMNS =
  "f.id f_id, f.name f_name, f.alt f_alt, f.updated_at f_updated_at, ft.page f_page, ft.text f_text";

type FileColumns = {
  f_id: string | null;
  f_name: string;
  f_alt: string | null;
  f_updated_at: string;
  f_page: number | null;
  f_text: string | null;
};

/** The texts for reindexing an entry; undefined if its file or page is gone. */
export function readFileEntry(due: OutdatedEntry) {
  const columns = due as OutdatedEntry & FileColumns;
  const { f_id: id, f_name: name, f_alt: alt, f_updated_at, f_page, f_text } = columns;
  const isPage = due.record.length > 36;
  if (id === null || (isPage && f_text === null)) return undefined;
  const entry =
    isPage && f_page !== null ? pageEntry(id, f_page, f_text ?? "") : nameEntry({ id, name, alt });
  const texts = omit(entry, "kind", "record");
  const unchanged = sql`EXISTS (SELECT 1 FROM files WHERE owner = ${due.owner} AND id = ${id} AND updated_at = ${f_updated_at})`;
  return { ...texts, unchanged };
}
