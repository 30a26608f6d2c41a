import { argon2Sync, randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { v7 as uuid } from "uuid";
import { baseCtxFor } from "../scripts/common/d1.ts";
import { requireDatabaseFile, type SqlRow, type WritableDatabase } from "../scripts/common/local-database.ts";
import { applyMigrations } from "../scripts/common/migrations.ts";
import { ACCESS_SCOPES } from "../src/contract/access.ts";
import { requireAccount } from "../src/features/admin/store.ts";
import { createApiKey } from "../src/features/api-keys/store.ts";
import { ARGON2_COST, CURRENT_HASH_PREFIX } from "../src/features/auth/password-cost.ts";
import { createUser } from "../src/features/auth/user-store.ts";
import { createDocument } from "../src/features/documents/store.ts";
import { createMemory } from "../src/features/memories/store.ts";
import { type BaseCtx, type Ctx, ctxFor } from "../src/platform/core/ctx.ts";
import { makeDocument } from "./texts.ts";

// Accounts that the service's own functions write into the file of its database, before it starts: a thousand take a
// minute, and over HTTP half an hour.

/** A document or a memory record, and the version that its last acknowledged change gave it. */
export type Kept<Id> = { id: Id; version: number };

/** An account, and what it has. A document or record that is being changed is taken out until the answer is there. */
export type Person = {
  email: string;
  /** What its requests carry: a session's token or an API key. */
  token: string;
  /** An API key, with which its assistants ask. */
  key: string;
  documents: Kept<string>[];
  /** Documents by their UUID, records by their number. */
  trashed: (string | number)[];
  records: Kept<number>[];
  resolved: Kept<number>[];
};

export type Size = { documents: number; records: number };

export const PASSWORD = "a password for the bench";

/** The hash of the password, as sign-in expects it. */
function hashed(): string {
  const nonce = randomBytes(16);
  const { memorySize: memory, iterations: passes, parallelism, hashLength: tagLength } = ARGON2_COST;
  const tag = argon2Sync("argon2id", { message: PASSWORD, nonce, memory, passes, parallelism, tagLength });
  const text = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  return `${CURRENT_HASH_PREFIX}${text(nonce)}$${text(tag)}`;
}

const MEMBER = { planTier: "self_hosted", mode: "open", isVouchedFor: true, firstIsAdmin: false } as const;

/** Whoever writes for the bench. */
const API = { source_type: "api" } as const;

async function fill(ctx: Ctx, { documents, records }: Size): Promise<Pick<Person, "documents" | "records">> {
  const written: Pick<Person, "documents" | "records"> = { documents: [], records: [] };
  for (let number = 0; number < documents; number++) {
    const { title, tags, text } = makeDocument(ctx.owner * documents + number);
    const content = { format: "markdown", text };
    const { id, version } = await createDocument(ctx, { title, tags, content }, API);
    written.documents.push({ id, version });
  }
  for (let number = 0; number < records; number++) {
    const record = { memory_type: "commitment", topic: `Record ${number}`, content: "Promised" } as const;
    const { id, version } = await createMemory(ctx, record, API);
    written.records.push({ id, version });
  }
  return written;
}

async function createPerson(
  base: BaseCtx,
  email: string,
  password_hash: string,
  size: Size,
): Promise<Person> {
  await createUser(base, uuid(), { email, password_hash, ...MEMBER });
  const ctx = ctxFor(base, await requireAccount(base, email));
  const { key } = await createApiKey(ctx, { name: "Bench", scopes: [...ACCESS_SCOPES] });
  return { email, token: key, key, trashed: [], resolved: [], ...(await fill(ctx, size)) };
}

/** The database, in one transaction, which is written to disk when it ends. */
function inOneTransaction(database: DatabaseSync): WritableDatabase {
  database.exec("BEGIN");
  const batch: WritableDatabase["batch"] = async (statements) =>
    statements.map(({ sql, params }) => database.prepare(sql).all(...params) as SqlRow[]);
  const query: WritableDatabase["query"] = async (sql, params = []) =>
    (await batch([{ sql, params }]))[0] ?? [];
  return { batch, query, close: () => database.exec("COMMIT") };
}

/** Creates accounts `${name}0@example.com`, … in the database of a copy that is not running. */
export async function createPeople(
  stateDir: string,
  { name, count, size }: { name: string; count: number; size: Size },
): Promise<Person[]> {
  await applyMigrations(stateDir);
  const database = new DatabaseSync(requireDatabaseFile(stateDir));
  const target = inOneTransaction(database);
  const password = hashed();
  const people: Person[] = [];
  for (let number = 0; number < count; number++)
    people.push(await createPerson(baseCtxFor(target), `${name}${number}@example.com`, password, size));
  target.close();
  database.close();
  return people;
}
