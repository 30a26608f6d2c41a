import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

// What ends by itself would make a state folder useless after weeks: the session of a program or a browser and the grant of
// an MCP client end 30 days after their last use, the client's registration after 90 days, and the trash is erased after 30
// days. All of it is put off until 2099. Passwords and API keys last anyhow.

const END = new Date("2099-01-01T00:00:00.000Z");
const SECONDS = END.getTime() / 1000;

const DATABASE = `
  UPDATE sessions SET expires_at = '${END.toISOString()}';
  UPDATE refresh_tokens SET expires_at = '${END.toISOString()}';
  UPDATE documents SET trashed_at = '${END.toISOString()}' WHERE trashed_at IS NOT NULL;`;

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));

/** Miniflare's files of one kind, without the one in which it keeps alarms. */
const databasesIn = (folder: string) =>
  filesIn(folder).filter((file) => file.endsWith(".sqlite") && !file.endsWith("metadata.sqlite"));

function run(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** Access tokens last for a day at most: what a client still has after an upgrade is its refresh token. */
function dropAccessTokens(file: string, blobs: string): void {
  const database = new DatabaseSync(file);
  const dropped = database
    .prepare("DELETE FROM _mf_entries WHERE key LIKE 'token:%' RETURNING blob_id")
    .all();
  database.close();
  for (const { blob_id } of dropped) rmSync(join(blobs, String(blob_id)));
}

/** Puts off the end of everything that a stopped copy holds. */
export function lengthen(stateDir: string): void {
  for (const file of databasesIn(join(stateDir, "v3", "d1"))) run(file, DATABASE);
  const kv = join(stateDir, "v3", "kv");
  const blobs = join(kv, "OAUTH_KV", "blobs");
  for (const file of databasesIn(kv)) {
    dropAccessTokens(file, blobs);
    run(file, `UPDATE _mf_entries SET expiration = ${END.getTime()} WHERE expiration IS NOT NULL`);
  }
  // The OAuth server also writes the end into the values, in seconds.
  for (const blob of filesIn(blobs)) {
    const value = readFileSync(blob, "utf8");
    writeFileSync(blob, value.replace(/"(expiresAt|registrationExpiresAt)":\d{10}/g, `"$1":${SECONDS}`));
  }
}

/** Puts what SQLite has written beside its files into them, and makes them as small as they can be. */
export function compact(stateDir: string): void {
  for (const file of filesIn(stateDir).filter((name) => name.endsWith(".sqlite")))
    run(file, "PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
}
