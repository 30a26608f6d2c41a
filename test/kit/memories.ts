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

const OWNER = `SELECT timezone, max(last_memory_id, (SELECT coalesce(max(id), 0) FROM memories WHERE owner = number)) AS last
  FROM users WHERE number = ?`;

/** Inserts records with a history into the database. Returns their ids. */
export async function prepare(owner: number, rows: Prepared[]): Promise<number[]> {
  const found = await env.DB.prepare(OWNER).bind(owner).first<{ timezone: string; last: number }>();
  const { timezone, last } = found ?? { timezone: "UTC", last: 0 };
  const stored = rows.map((row, index) => ({ id: last + 1 + index, owner, ...columnsOf(row, timezone) }));
  const ids = stored.map(({ id }) => id);
  if (stored.length === 0) return ids;
  const names = Object.keys(stored[0] ?? {});
  const insert = env.DB.prepare(`INSERT INTO memories (${names}) VALUES (${names.map(() => "?")})`);
  await env.DB.batch(stored.map((row) => insert.bind(...Object.values(row))));
  const trashed = rows.flatMap(({ trashed_at }, index) => (trashed_at ? [[trashed_at, ids[index]]] : []));
  const move = env.DB.prepare("UPDATE memories SET trashed_at = ? WHERE id = ? AND owner = ?");
  if (trashed.length > 0) await env.DB.batch(trashed.map((row) => move.bind(...row, owner)));
  return ids;
}

function columnsOf({ trashed_at: _, tags = [], ...given }: Prepared, timezone: string) {
  const { created_at, updated_at = created_at, status = "active", deferred_until = null } = given;
  const { memory_type = "commitment", topic = "Topic", content = "Content" } = given;
  const { scope = null, project = null, due_date = null, resolution_note = null } = given;
  const wakes = status === "deferred" && deferred_until ? startOfDay(deferred_until, timezone) : updated_at;
  const closed_at = status === "active" ? null : (given.closed_at ?? updated_at);
  return {
    ...{ memory_type, topic, content, status, scope, project, tags: JSON.stringify(tags), due_date },
    ...{ deferred_until, resolved_at: status === "resolved" ? closed_at : null, resolution_note },
    ...{ source_type: "api", version: 1, created_at, updated_at, closed_at },
    touched_at: given.touched_at ?? wakes,
  };
}
