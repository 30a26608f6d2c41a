import { env } from "cloudflare:workers";

// A database with a lagging replica, as in D1's read replication: a session that starts with a bookmark may read from the
// replica once that has reached the bookmark, and every write goes to the primary. Local D1 has no replicas, so the
// replica is a second database, to which the test copies the primary's rows.

type Statement = D1PreparedStatement & { text: string; values: unknown[] };

const statement = (text: string, values: unknown[] = []) =>
  ({ text, values, bind: (...bound: unknown[]) => statement(text, bound) }) as unknown as Statement;

const isRead = ({ text }: Statement) => /^\s*(SELECT|WITH)\b/i.test(text);

const bookmarkAt = (moment: number) =>
  `${moment.toString(16).padStart(8, "0")}-00000000-00000000-${"0".repeat(32)}`;

/** The tables that are copied to the replica. */
const TABLES = ["users", "sessions", "folders", "documents"];

/** A primary with a replica. */
export class Replicated {
  /** The number of writes, and how many of them the replica has received. */
  private written = 0;
  private reached = 0;
  /** How many calls each has answered. */
  readonly answered = { primary: 0, replica: 0 };

  /** Brings the replica up to date. */
  async catchUp(): Promise<void> {
    const copies: D1PreparedStatement[] = [env.REPLICA.prepare("PRAGMA defer_foreign_keys = on")];
    for (const name of TABLES) {
      copies.push(env.REPLICA.prepare(`DELETE FROM ${name}`));
      const { results: rows } = await env.DB.prepare(`SELECT * FROM ${name}`).all();
      for (const row of rows) {
        const columns = Object.keys(row);
        const places = columns.map(() => "?").join(", ");
        const insert = `INSERT OR REPLACE INTO ${name} (${columns.join(", ")}) VALUES (${places})`;
        copies.push(env.REPLICA.prepare(insert).bind(...Object.values(row)));
      }
    }
    await env.REPLICA.batch(copies);
    this.reached = this.written;
  }

  private async ask(db: D1Database, statements: Statement[]) {
    if (!statements.every(isRead)) this.written += 1;
    return db.batch(statements.map(({ text, values }) => db.prepare(text).bind(...values)));
  }

  /** The binding that the Worker sees. */
  readonly database = {
    withSession: (constraint: string) => {
      const bookmark = /^[0-9a-f]{8}-/.test(constraint)
        ? Number.parseInt(constraint.slice(0, 8), 16)
        : undefined;
      let seen = bookmark ?? this.written;
      return {
        prepare: (text: string) => statement(text),
        batch: async (statements: Statement[]) => {
          const mayLag = bookmark !== undefined && statements.every(isRead) && seen <= this.reached;
          this.answered[mayLag ? "replica" : "primary"] += 1;
          const results = await this.ask(mayLag ? env.REPLICA : env.DB, statements);
          seen = mayLag ? this.reached : this.written;
          return results;
        },
        getBookmark: () => bookmarkAt(seen),
      };
    },
  } as unknown as D1Database;
}
