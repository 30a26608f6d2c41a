import {
  checksumRows,
  countRows,
  listAppliedMigrations,
  listTables,
  readTableRows,
  readTableShape,
  trackRows,
} from "../common/backup-folder.ts";
import {
  bindValues,
  type ReadableDatabase,
  type SqlRow,
  type TextStatement,
  type WritableDatabase,
} from "../common/local-database.ts";

// Copies a database that was restored on this machine into an empty one on Cloudflare. An interrupted run can be
// repeated: existing rows are kept. At the end every table is read back and compared.

/** D1 binds at most 100 values per statement: https://developers.cloudflare.com/d1/platform/limits/ */
const MAX_BOUND = 100;
/** A statement has at most 100 KB, and numbers are part of its text. */
const MAX_STATEMENT_ROWS = 100;
/** Limits of a request. A single row may be larger. */
const GROUP_BYTES = 1_000_000;
const GROUP_ROWS = 400;

/** The migrations that a deployment has in addition to a backup's. Throws if it lacks one of the backup's. */
export async function extraMigrations(remote: ReadableDatabase, migrations: string[]): Promise<string[]> {
  const appliedRemotely = await listAppliedMigrations(remote);
  const missing = migrations.filter((name) => !appliedRemotely.includes(name));
  if (missing.length > 0) {
    const migrateCommand = "npm run migrate -- --remote";
    throw new Error(
      `The deployment's database lacks ${missing.join(", ")}. Run this first: ${migrateCommand}`,
    );
  }
  return appliedRemotely.filter((name) => !migrations.includes(name));
}

type Schema = {
  /** In insert order: parents before the tables that refer to them, and tables that triggers write last. */
  tables: string[];
  /** The column with the reference, for each table that refers to itself. */
  parentColumn: Map<string, string>;
  /** Tables that triggers write. The backup's rows replace the ones that the triggers wrote during the copy. */
  triggered: Set<string>;
};

async function readSchema(local: ReadableDatabase): Promise<Schema> {
  const triggers = await local.query(
    "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'search_%'",
  );
  const triggerWrites = triggers.flatMap(({ sql }) => [...String(sql).matchAll(/\bINSERT INTO (\w+)/g)]);
  const triggered = new Set(triggerWrites.map(([, table]) => String(table)));
  const parents = new Map<string, string[]>();
  const parentColumn = new Map<string, string>();
  for (const table of await listTables(local)) {
    const keys = await local.query(
      `SELECT "table" AS parent, "from" AS own FROM pragma_foreign_key_list('${table}')`,
    );
    for (const { parent, own } of keys) if (parent === table) parentColumn.set(table, String(own));
    parents.set(
      table,
      keys.map(({ parent }) => String(parent)).filter((parent) => parent !== table),
    );
  }
  const tables = sortByDependency(parents).sort(
    (a, b) => Number(triggered.has(a)) - Number(triggered.has(b)),
  );
  return { tables, parentColumn, triggered };
}

function sortByDependency(needs: Map<string, string[]>): string[] {
  const order = new Set<string>();
  const place = (name: string) => {
    if (order.has(name)) return;
    for (const need of needs.get(name) ?? []) place(need);
    order.add(name);
  };
  for (const name of needs.keys()) place(name);
  return [...order];
}

/** Sorts rows that refer to other rows of their table by id, so that each comes after its parent. */
async function* parentsFirst(rows: AsyncIterable<SqlRow>, column: string): AsyncGenerator<SqlRow> {
  const placed = new Set<unknown>([null]);
  const waiting = new Map<unknown, SqlRow[]>();
  for await (const row of rows) {
    const ready = placed.has(row[column]) ? [row] : [];
    if (ready.length === 0) waiting.set(row[column], [...(waiting.get(row[column]) ?? []), row]);
    for (let next = ready.pop(); next; next = ready.pop()) {
      yield next;
      placed.add(next.id);
      ready.push(...(waiting.get(next.id) ?? []));
      waiting.delete(next.id);
    }
  }
}

/**
 * Throws if the deployment has a row that the backup lacks: it is a different database, or has been used since.
 */
async function requireNoOtherRows(
  local: ReadableDatabase,
  remote: ReadableDatabase,
  table: string,
): Promise<void> {
  const ours = readTableRows(local, table);
  for await (const row of readTableRows(remote, table)) {
    const line = JSON.stringify(row);
    let own = await ours.next();
    while (!own.done && JSON.stringify(own.value) !== line) own = await ours.next();
    if (!own.done) continue;
    throw new Error(
      table === "users"
        ? "The deployment has accounts that are not in this backup"
        : `The deployment has been used: its table ${table} has rows that are not in this backup`,
    );
  }
}

type InsertPlan = { verb: string; table: string; columns: string[]; end: string };

function insertStatements({ verb, table, columns, end }: InsertPlan, rows: SqlRow[]): TextStatement[] {
  const groups: TextStatement[][] = [];
  let bound = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const values = bindValues(columns.map((column) => row[column]));
    bound += values.params.length;
    if (bound > MAX_BOUND || groups.at(-1)?.length === MAX_STATEMENT_ROWS) {
      groups.push([]);
      bound = values.params.length;
    }
    groups.at(-1)?.push(values);
  }
  return groups.map((group) => ({
    sql: `${verb} INTO ${table} (${columns.join(", ")}) VALUES ${group.map(({ sql }) => sql).join(", ")} ${end}`,
    params: group.flatMap(({ params }) => params),
  }));
}

const rowSize = (row: SqlRow) =>
  Object.values(row).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value)), 0);

async function* batchRows(rows: AsyncIterable<SqlRow>): AsyncGenerator<SqlRow[]> {
  let group: SqlRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const size = rowSize(row);
    if (group.length > 0 && (bytes + size > GROUP_BYTES || group.length === GROUP_ROWS)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(row);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

const KIND_BY_TABLE: Record<string, string> = { documents: "document", memories: "memory" };

/** Search entries of version 0 for the searchable rows, so that a reindex finds them. */
function searchEntries(table: string, rows: SqlRow[]): TextStatement[] {
  const kind = KIND_BY_TABLE[table];
  if (!kind) return [];
  return [
    {
      sql: `INSERT INTO search_entries (owner, kind, record, length, index_version)
        SELECT owner, '${kind}', id, 0, 0 FROM ${table}
        WHERE id IN (SELECT value FROM json_each(?)) AND trashed_at IS NULL ON CONFLICT DO NOTHING`,
      params: [JSON.stringify(rows.map(({ id }) => id))],
    },
  ];
}

/** Whether the backup's rows replace existing ones, because triggers or migrations create rows in the table. */
const replacesRows = ({ triggered }: Schema, table: string, key: string[]) =>
  triggered.has(table) || key[0] === "rowid";

async function planInsert(local: ReadableDatabase, schema: Schema, table: string): Promise<InsertPlan> {
  const { key, columns } = await readTableShape(local, table);
  return replacesRows(schema, table, key)
    ? { table, columns, verb: "INSERT OR REPLACE", end: "" }
    : { table, columns, verb: "INSERT", end: "ON CONFLICT DO NOTHING" };
}

/**
 * Copies every row into the deployment's database, which must have no other rows, then compares the two. Throws at the
 * first difference.
 */
export async function copyDatabase(remote: WritableDatabase, local: ReadableDatabase): Promise<void> {
  const schema = await readSchema(local);
  for (const table of schema.tables) {
    const { key } = await readTableShape(local, table);
    if (!replacesRows(schema, table, key)) await requireNoOtherRows(local, remote, table);
  }
  const writing = trackRows("Writing", await countRows(local, schema.tables));
  for (const table of schema.tables) {
    const parent = schema.parentColumn.get(table);
    const rows = writing.each(readTableRows(local, table));
    const insert = await planInsert(local, schema, table);
    for await (const group of batchRows(parent ? parentsFirst(rows, parent) : rows)) {
      await remote.batch([...insertStatements(insert, group), ...searchEntries(table, group)]);
    }
  }
  writing.end();
  await compare(remote, local, schema.tables);
}

async function compare(remote: ReadableDatabase, local: ReadableDatabase, tables: string[]): Promise<void> {
  const reading = trackRows("Reading back", await countRows(local, tables));
  for (const table of tables) {
    const remoteRows = await checksumRows(reading.each(readTableRows(remote, table)));
    const localRows = await checksumRows(readTableRows(local, table));
    if (remoteRows.count !== localRows.count || remoteRows.sha256 !== localRows.sha256) {
      const counts = `${remoteRows.count} rows, the backup ${localRows.count}`;
      throw new Error(`${table} differs from the backup (the deployment has ${counts}): was it in use?`);
    }
  }
  reading.end();
}
