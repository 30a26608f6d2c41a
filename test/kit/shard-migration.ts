import { expect } from "vitest";
import { getMeRoute } from "../../src/features/auth/routes.ts";
import { openPortalRoute } from "../../src/features/billing/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { readNextFile } from "../../src/features/file-text/store.ts";
import { createFolderRoute } from "../../src/features/folders/routes.ts";
import { migrateAccount } from "../../src/features/shard-migration/store.ts";
import { type BaseCtx, ctxFor } from "../../src/platform/core/ctx.ts";
import { openBaseCtx } from "../../src/platform/db/session.ts";
import { type Client, person } from "./client.ts";
import { sessionWith } from "./database.ts";
import { cron } from "./hooks.ts";
import { stateless, use } from "./mcp.ts";
import { belongings, EXAMPLE_EMAIL } from "./named.ts";
import { connect } from "./oauth.ts";
import { contentsOf, databaseOf, openHomes, personIn } from "./shards.ts";
import { BUCKET, bytesOf, upload } from "./stored-files.ts";

// Migrates accounts to another shard as `npm run homes -- move` does, which may be killed at any call to a database.

/** When a command is killed: at this call, before it reaches the database or before its answer does. */
export type Kill = { at: number; isAnswered: boolean };

export class Killed extends Error {}

/** What happens before a command's call reaches the database. */
export type Before = (call: number) => Promise<unknown>;

/** A command's databases. `calls` counts what it has asked them. */
export function command(kill?: Kill, before?: Before) {
  const state = { calls: 0 };
  const killing = (session: D1DatabaseSession) =>
    sessionWith(session, async (statements) => {
      state.calls += 1;
      await before?.(state.calls);
      const isLast = kill !== undefined && state.calls >= kill.at;
      if (isLast && !(kill.isAnswered && state.calls === kill.at)) throw new Killed();
      const answer = await session.batch(statements);
      if (isLast) throw new Killed();
      return answer as never;
    });
  const open = (home: number): BaseCtx => {
    const database = databaseOf(home);
    return openBaseCtx(database, home, killing(database.withSession()));
  };
  return { state, open };
}

/** Moves an account; returns the number of calls. */
export async function move(email: string, to: number, kill?: Kill, before?: Before): Promise<number> {
  const { state, open } = command(kill, before);
  await migrateAccount(open, { email, to });
  return state.calls;
}

export const ADA = EXAMPLE_EMAIL;

/** Three shards. The first account is the admin's, which stays. */
export async function openShards(): Promise<void> {
  await openHomes();
  await person({ email: "admin@example.com" });
}

/** Begins to move Ada's account from the second shard to the third, and is killed on the way. */
export const beginMove = (at = 30) => expect(move(ADA, 3, { at, isAnswered: true })).rejects.toThrow(Killed);

/** Lets the cron handler run when every move has been given up. */
export async function cronAfterMoves(homes = [1, 2, 3]): Promise<void> {
  for (const home of homes)
    await databaseOf(home).prepare("UPDATE moves SET at = '2026-01-01T00:00:00.000Z'").run();
  await cron();
}

/** An export without its first and last line, which tell when it was made. */
export const exportOf = async (client: Client) =>
  (await (await client.fetch("/api/export")).text()).split("\n").slice(1, -2).join("\n");

/** The number of an account in a home; null if it is not there. */
export const numberIn = (home: number, email = ADA) =>
  databaseOf(home).prepare("SELECT number FROM users WHERE email = ?").bind(email).first<number>("number");

/** The rows that an account has in a home, by table, without its number. */
export async function rowsIn(home: number, number?: number | null): Promise<Record<string, string[]>> {
  const owner = number === undefined ? await numberIn(home) : number;
  const rowsOf = (rows: unknown[]) =>
    (rows as Record<string, unknown>[])
      .filter((row) => row.owner === owner)
      .map(({ owner: _, entry: __, ...row }) => JSON.stringify(row))
      .sort();
  const contents = Object.entries(await contentsOf(databaseOf(home)));
  return Object.fromEntries(contents.map(([table, rows]) => [table, rowsOf(rows)]));
}

/** Creates a document that a search for "harvest" finds. */
export const rowOf = (client: Client, n: number) =>
  client.ok(documents.createDocumentRoute, {
    json: { title: `Plan ${n}`, content: { text: `harvest ${n}` }, tags: ["farm"] },
  });

/** The answer to a request that creates a document. */
export const creating = (client: Client) =>
  client.fetch("/api/documents", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ title: "Plan", content: { text: "harvest" } }),
  });

/** An account with a row in every table that has any. */
export async function full(home: number): Promise<Client> {
  const ada = await personIn(home, ADA);
  const own = belongings(ada);
  await use(stateless((await connect(ADA)).mcp), "whoami");
  for (const name of [
    ...["session_id", "document_id", "memory_id", "folder_id", "name", "api_key_id", "token"],
    ...["subscription_id"],
    ...["passkey_id", "current_code", "webhook_id", "import_id", "job_id", "file_id", "upload_id"],
  ])
    await own(name);
  await ada.ok(openPortalRoute);
  const json = { name: "Inner", parent_id: await own("folder_id") };
  const inner = await ada.ok(createFolderRoute, { json, headers: { "Idempotency-Key": "inner" } });
  const content = { text: "[[Low]]", aliases: ["Low"] };
  const deep = { title: "Deep", folder_id: inner.id, tags: ["x"], content };
  await ada.ok(documents.createDocumentRoute, { json: deep });
  // A look would wake the account's object, which then does what it has to do before the move.
  const owner = await numberIn(home);
  for (const row of [
    "tidy_looks VALUES (?, 'ended', '{}')",
    "tidy_kept VALUES (?, 'secret', 'mem:1', '', '2026')",
  ])
    await databaseOf(home).prepare(`INSERT INTO ${row}`).bind(owner).run();
  // And so would a file; its words are read here.
  await upload(ada, bytesOf("A walrus has tusks"), { name: "words.txt" });
  const user = { ...(await ada.ok(getMeRoute)), number: owner as number };
  const ctx = { ...ctxFor(command().open(home), user), bucket: BUCKET };
  let isLeft = true;
  while (isLeft) isLeft = await readNextFile(ctx);
  return ada;
}
