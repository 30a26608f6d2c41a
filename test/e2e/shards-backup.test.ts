import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { scheduler } from "node:timers/promises";
import { expect } from "vitest";
import { baseCtxFor } from "../../scripts/common/d1.ts";
import { localDatabases } from "../../scripts/common/databases.ts";
import { requireDatabaseFile } from "../../scripts/common/local-database.ts";
import { migrateAccount } from "../../src/features/shard-migration/store.ts";
import { ADA, asUser } from "./accounts.ts";
import { create, folder, start } from "./instances.ts";
import { nightly } from "./nightly.ts";
import { runScript } from "./script.ts";

// A backup that is made during shard migrations.

const SETTINGS = { HOMES: "DB=weur:open, DB_2=weur:closed, DB_3=enam:closed", JWT_SECRET: "j".repeat(64) };
const SHARDS = [1, 2, 3];

type Tokens = { access_token: string; refresh_token: string };

const post = (url: string, body: object) =>
  fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

async function newPerson(apiUrl: string, email: string): Promise<Tokens> {
  const tokens = (await (await post(`${apiUrl}/api/auth/register`, { ...ADA, email })).json()) as Tokens;
  for (const title of ["Plan", "List"])
    expect((await create(apiUrl, tokens.access_token, title)).status).toBe(201);
  return tokens;
}

const exportOf = async (apiUrl: string, token: string) =>
  (await (await fetch(`${apiUrl}/api/export`, { headers: asUser(token) })).text()).split("\n").slice(1, -2);

/** Moves an account to a shard; the command is killed after this many calls to the databases. Returns how many it made. */
async function move(
  state: string,
  email: string,
  to: number,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  Object.assign(globalThis, { scheduler });
  const databases = await localDatabases({ STATE_DIR: state });
  let calls = 0;
  const open = async (shard: number) => {
    const target = await databases.database(shard);
    const batch: typeof target.batch = async (statements) => {
      if (++calls > most) throw new Error("killed");
      return target.batch(statements);
    };
    return baseCtxFor({ ...target, batch }, shard);
  };
  const moved = migrateAccount(open, { email, to });
  if (most === Number.POSITIVE_INFINITY) await moved;
  else await expect(moved).rejects.toThrow("killed");
  databases.close();
  return calls;
}

/** The shards in which each of these addresses has an account, in the databases of a copy. */
function shardsOf(state: string, emails: string[]): number[][] {
  const files = SHARDS.map(
    (shard) => new DatabaseSync(requireDatabaseFile(state, shard), { readOnly: true }),
  );
  const isIn = (email: string) => (shard: number) =>
    files[shard - 1]?.prepare("SELECT 1 FROM users WHERE email = ? AND deleted_at IS NULL").get(email);
  const found = emails.map((email) => SHARDS.filter(isIn(email)));
  for (const file of files) file.close();
  return found;
}

nightly(
  "an account that was being moved is whole in one shard after a restore, and its tokens go on working",
  { timeout: 600_000 },
  async () => {
    const [state, elsewhere, backups] = [await folder(), await folder(), await folder()];
    const service = await start(state, SETTINGS);
    const emails = ["copied", "arrived", "left", "came-back"].map((name) => `${name}@example.com`);
    const [copied = "", arrived = "", left = "", back = ""] = emails;
    await newPerson(service.apiUrl, "admin@example.com");
    const people = new Map<string, Tokens>();
    for (const email of [...emails, "moved@example.com"])
      people.set(email, await newPerson(service.apiUrl, email));
    const exported = new Map<string, string[]>();
    for (const [email, { access_token }] of people)
      exported.set(email, await exportOf(service.apiUrl, access_token));
    const calls = await move(state, "moved@example.com", 2);
    await move(state, back, 3);
    await move(state, copied, 2, 40);
    // The last calls make the copy the account, find it, tell the old shard, and forget the move.
    await move(state, arrived, 2, calls - 3);
    await move(state, left, 3, calls - 1);
    await move(state, back, 1, 40);
    expect(shardsOf(state, emails)).toEqual([[1], [1, 2], [3], [3]]);

    const backup = join(backups, "all");
    expect(await runScript("backup", ["--all", backup], { STATE_DIR: state })).toMatchObject({ code: 0 });
    expect(await service.stop()).toBe(0);
    const restored = await runScript("restore", [backup], { ...SETTINGS, STATE_DIR: elsewhere });
    expect(restored).toMatchObject({ code: 0 });
    expect(shardsOf(elsewhere, emails)).toEqual([[1], [2], [3], [3]]);

    const again = await start(elsewhere, SETTINGS);
    for (const [email, { access_token, refresh_token }] of people) {
      const own = await exportOf(again.apiUrl, access_token);
      expect(own, email).toEqual(exported.get(email));
      expect((await create(again.apiUrl, access_token, "New")).status, email).toBe(201);
      const refreshed = await post(`${again.apiUrl}/api/auth/refresh`, { refresh_token });
      expect(refreshed.status, email).toBe(200);
      expect((await post(`${again.apiUrl}/api/auth/login`, { ...ADA, email })).status, email).toBe(200);
    }
  },
);
