import { env } from "cloudflare:workers";
import { startOfDay } from "../../src/contract/days.ts";

/** The fields of a record that a test sets; the rest get defaults. */
export type Prepared = {
  memory_type?: string;
  topic?: string;
  content?: string;
  status?: "active" | "deferred" | "resolved" | "archived";
  scope?: "personal" | "work" | null;
  project?: string | null;
  tags?: string[];
  due_date?: string | null;
  deferred_until?: string | null;
  created_at: string;
  updated_at?: string;
  closed_at?: string;
  touched_at?: string;
  resolution_note?: string;
  trashed_at?: string | undefined;
};

const INSERT = `INSERT INTO memories (id, owner, memory_type, topic, content, status, scope, project, tags, due_date,
  deferred_until, resolved_at, resolution_note, source_type, version, created_at, updated_at, closed_at, touched_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'api', 1, ?, ?, ?, ?)`;

const OWNER = `SELECT timezone, max(last_memory_id, (SELECT coalesce(max(id), 0) FROM memories WHERE owner = number)) AS last
  FROM users WHERE number = ?`;

/** Inserts records with a history into the database. Returns their ids. */
export async function prepare(owner: number, rows: Prepared[]): Promise<number[]> {
  const found = await env.DB.prepare(OWNER).bind(owner).first<{ timezone: string; last: number }>();
  const { timezone, last } = found ?? { timezone: "UTC", last: 0 };
  const ids = rows.map((_, index) => last + 1 + index);
  await env.DB.batch(
    rows.map((row, index) => env.DB.prepare(INSERT).bind(ids[index], owner, ...valuesOf(row, timezone))),
  );
  const trashed = rows.flatMap(({ trashed_at }, index) => (trashed_at ? [[trashed_at, ids[index]]] : []));
  const move = env.DB.prepare("UPDATE memories SET trashed_at = ? WHERE id = ? AND owner = ?");
  if (trashed.length > 0) await env.DB.batch(trashed.map((row) => move.bind(...row, owner)));
  return ids;
}

const DEFAULTS = {
  memory_type: "commitment",
  topic: "Topic",
  content: "Content",
  status: "active",
  scope: null,
  project: null,
  tags: [],
  due_date: null,
  deferred_until: null,
  resolution_note: null,
};

function valuesOf(prepared: Prepared, timezone: string) {
  const { updated_at = prepared.created_at, ...given } = prepared;
  const { status, deferred_until } = given;
  const sleeps = status === "deferred" && deferred_until;
  const touched_at = sleeps ? startOfDay(deferred_until, timezone) : updated_at;
  const row = { ...DEFAULTS, touched_at, closed_at: updated_at, ...given };
  const closed = row.status === "active" ? null : row.closed_at;
  return [
    ...[
      row.memory_type,
      row.topic,
      row.content,
      row.status,
      row.scope,
      row.project,
      JSON.stringify(row.tags),
    ],
    ...[row.due_date, row.deferred_until, row.status === "resolved" ? closed : null, row.resolution_note],
    ...[row.created_at, updated_at, closed, row.touched_at],
  ];
}
