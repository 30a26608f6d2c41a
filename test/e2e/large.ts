import { randomInt } from "node:crypto";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { v7 as uuid } from "uuid";
import { analyse, INDEX_VERSION } from "../../src/engine/analyse.ts";
import { documentEntry, memoryEntry } from "../../src/features/indexed/entry.ts";

// Large accounts, written into the database of a service that is not running: 100,000 documents over HTTP take an hour.
// The triggers count them.

export type Filling = {
  /** Each has an earlier version, two activity entries, and one in the search index. */
  documents: number;
  tags?: string[];
  /** How many of them are in a folder of this name. */
  inFolder?: { name: string; documents: number };
  /** Each has an event, an activity entry, and one in the search index. */
  records?: number;
  textOf?: (number: number) => string;
};

const AT = new Date().toISOString();

type Row = Record<string, SQLInputValue>;

/** Inserts rows, with one prepared statement for each table. */
function inserter(database: DatabaseSync) {
  const known = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  return (table: string, row: Row) => {
    const columns = Object.keys(row).join(", ");
    const statement =
      known.get(table) ??
      database.prepare(`INSERT INTO ${table} (${columns}) VALUES (${Object.keys(row).map(() => "?")})`);
    known.set(table, statement);
    return statement.run(...Object.values(row)).lastInsertRowid;
  };
}
type Insert = ReturnType<typeof inserter>;

const textOfDocument = (number: number) =>
  `The walrus of page ${number} looks at the sea, where ice ${number % 97} drifts past ship ${number % 89}.`;

/** What is written under an owner's number. */
function writerOf(insert: Insert, owner: number, lastEntry: number) {
  let number = lastEntry;
  const record = (kind: string, of: { id: string; title: string; version: number; verb: string }) => {
    const { id, title, version, verb } = of;
    number++;
    insert("activity", {
      ...{ owner, number, at: AT, actor: "person", source_type: "api", verb, kind, record: id, title },
      ...{ version_before: version > 1 ? version - 1 : null, version_after: version },
      ...{ has_event: kind === "memory" ? 1 : 0, previous: version > 1 ? number - 1 : 0 },
      nonce: randomInt(2 ** 47),
    });
    return number;
  };
  const index = (kind: "document" | "memory", id: string, entry: ReturnType<typeof documentEntry>) => {
    const { text: body, ...rest } = entry;
    const { length, tokens, ...columns } = analyse(owner, { body, ...rest });
    const rowid = insert("search_entries", {
      ...{ owner, kind, record: id, length, tokens, index_version: INDEX_VERSION },
    });
    insert("search_index", { rowid, ...columns });
  };
  return { owner, insert, record, index };
}
type Writer = ReturnType<typeof writerOf>;

type Document = { title: string; tags: string[]; content: { format: string; text: string } };

function addDocument(
  { owner, insert, record, index }: Writer,
  document: Document,
  folder_id: string | null,
): string {
  const id = uuid();
  const { title } = document;
  const [tags, content] = [JSON.stringify(document.tags), JSON.stringify(document.content)];
  const stored = { owner, title, content, tags, folder_id, source_type: "api", created_at: AT };
  record("document", { id, title, version: 1, verb: "created" });
  const activity = record("document", { id, title, version: 2, verb: "changed" });
  insert("documents", { id, ...stored, version: 2, updated_at: AT, writer_source_type: "api", activity });
  insert("document_versions", { document_id: id, version: 1, ...stored });
  for (const tag of document.tags) insert("document_tags", { owner, tag, document_id: id });
  index("document", id, documentEntry(document));
  return id;
}

const RECORD = {
  memory_type: "commitment",
  project: "sea",
  due_date: null,
  resolution_note: null,
  note: null,
};

function addRecord({ owner, insert, record, index }: Writer, id: number): void {
  const shared = { topic: `Promise ${id}`, content: `Send the walrus ${id} a postcard` };
  const activity = record("memory", { id: String(id), title: shared.topic, version: 1, verb: "created" });
  insert("memories", {
    ...{ owner, id, ...RECORD, ...shared, status: "active", tags: "[]", source_type: "api" },
    ...{ version: 1, created_at: AT, updated_at: AT, touched_at: AT },
  });
  insert("memory_events", {
    ...{ owner, memory_id: id, id: 1, event: "created", to_status: "active", source_type: "api" },
    ...{ at: AT, activity },
  });
  index("memory", String(id), memoryEntry({ ...RECORD, ...shared, memory_type: "commitment", tags: [] }));
}

/** Adds a folder; its key is what it is found by. */
function addFolder({ owner, insert, record }: Writer, name: string): string {
  const id = uuid();
  const activity = record("folder", { id, title: name, version: 1, verb: "created" });
  insert("folders", { id, owner, name, key: name.toLowerCase(), created_at: AT, updated_at: AT, activity });
  return id;
}

const numberIn = (database: DatabaseSync, sql: string, ...params: SQLInputValue[]) =>
  Number(Object.values(database.prepare(sql).get(...params) ?? {})[0]);

/** The number under which an account has its rows. */
export const ownerOf = (database: DatabaseSync, email: string): number =>
  numberIn(database, "SELECT number FROM users WHERE email = ?", email);

/** Fills a new account. Returns its folder, if it got one. */
export function fillAccount(
  database: DatabaseSync,
  email: string,
  { documents, tags = [], inFolder, records = 0, textOf = textOfDocument }: Filling,
): string | undefined {
  const owner = ownerOf(database, email);
  database.exec("BEGIN");
  const writer = writerOf(
    inserter(database),
    owner,
    numberIn(database, "SELECT coalesce(max(number), 0) FROM activity WHERE owner = ?", owner),
  );
  const folder = inFolder && addFolder(writer, inFolder.name);
  for (let number = 0; number < documents; number++) {
    const content = { format: "markdown", text: textOf(number) };
    const isInside = folder !== undefined && number < (inFolder?.documents ?? 0);
    addDocument(writer, { title: `Page ${number}`, tags, content }, isInside ? folder : null);
  }
  for (let id = 1; id <= records; id++) addRecord(writer, id);
  database.exec("COMMIT");
  return folder;
}
