import { env } from "cloudflare:workers";
import type { TokenAnswer } from "../../src/contract/auth.ts";
import type { Env } from "../../src/env.ts";
import { registerRoute } from "../../src/features/auth/routes.ts";
import { type Client, PASSWORD, person, visitor } from "./client.ts";
import { ConfiguredClient } from "./database.ts";
import { type Meter, meterDatabase } from "./meter.ts";
import { createTables } from "./tables.ts";

// A service with three shards. The second and the third are closed, so that no account gets there by chance.

const HOMES = [env.DB, env.DB_2, env.DB_3] as const;

export const databaseOf = (home: number): D1Database => HOMES[home - 1] ?? env.DB;

/** Gives the shards besides the first their tables. */
export async function openHomes(): Promise<void> {
  await Promise.all([env.DB_2, env.DB_3].map(createTables));
}

/** A person with a new account in this shard. */
export async function personIn(home: number, email: string): Promise<Client> {
  if (home === 1) return person({ email });
  const client = visitor();
  const there = new ConfiguredClient(client, { HOME_FOR_NEW: `DB_${home}`, LOCAL_ONLY: "false" });
  client.tokens = (await there.ok(registerRoute, { json: { email, password: PASSWORD } })) as TokenAnswer;
  return client;
}

/** A person whose calls to each shard are counted. */
export function countingIn(client: Client, more: Partial<Env> = {}) {
  const meters = HOMES.map((): Meter => ({ rowsRead: 0, rowsWritten: 0, calls: 0 }));
  const [DB, DB_2, DB_3] = HOMES.map((database, index) => meterDatabase(database, meters[index] as Meter));
  const metered = new ConfiguredClient(client, { ...more, ...({ DB, DB_2, DB_3 } as Partial<Env>) });
  /** The calls to each shard since this was last asked. */
  const calls = () =>
    meters.map((meter) => {
      const { calls } = meter;
      meter.calls = 0;
      return calls;
    });
  return { client: metered, calls, meters };
}

/** Every row of a database, by table. */
export async function contentsOf(database: D1Database): Promise<Record<string, unknown[]>> {
  const { results: tables } = await database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%cf\\_%' ESCAPE '\\'",
    )
    .all<{ name: string }>();
  const rows = tables.map(
    async ({ name }) => [name, (await database.prepare(`SELECT * FROM ${name}`).all()).results] as const,
  );
  return Object.fromEntries(await Promise.all(rows));
}
