import { eq, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { users } from "../../platform/db/tables.ts";
import { withRest } from "../../platform/turns/fair.ts";
import { eraseSomeDocuments } from "../documents/trash-store.ts";
import { eraseSomeFiles } from "../files/erase-store.ts";
import { eraseSomeMemories } from "../memories/import-store.ts";

// First the account is closed, in one transaction; then its rows are erased in bounded steps.

/** How many rows of one table a step erases, and how many of a table whose rows may have a megabyte each. */
const ROWS_AT_ONCE = 500;
const LARGE_AT_ONCE = 20;

/** Closes the caller's account: nobody can sign in to it any more, and its email address can be registered again. */
export async function closeAccount(ctx: Ctx): Promise<void> {
  const owner = ctx.owner;
  await ctx.db.batch([
    ctx.db.run(
      sql`DELETE FROM refresh_tokens WHERE session_id IN (SELECT id FROM sessions WHERE owner = ${owner})`,
    ),
    ctx.db.run(sql`DELETE FROM sessions WHERE owner = ${owner}`),
    ctx.db.run(sql`DELETE FROM email_links WHERE owner = ${owner}`),
    ctx.db.run(sql`UPDATE users SET email = 'erased:' || id, password_hash = '', name = NULL,
      deleted_at = ${ctx.now.toISOString()} WHERE number = ${owner}`),
  ]);
}

/** A step that erases rows that nothing refers to any more; `key` are the columns that identify a row. */
const rowsOf =
  (table: string, key: string, most = ROWS_AT_ONCE) =>
  async (ctx: Ctx) => {
    const [name, columns] = [sql.raw(table), sql.raw(key)];
    const erased = await ctx.db.all(sql`DELETE FROM ${name} WHERE (${columns}) IN (
    SELECT ${columns} FROM ${name} WHERE owner = ${ctx.owner} LIMIT ${most}) RETURNING 1`);
    return erased.length > 0;
  };

async function separateSomeFolders(ctx: Ctx): Promise<boolean> {
  const moved = await ctx.db.all(sql`UPDATE folders SET parent_id = NULL WHERE id IN (
    SELECT id FROM folders WHERE owner = ${ctx.owner} AND parent_id IS NOT NULL LIMIT ${ROWS_AT_ONCE}) RETURNING id`);
  return moved.length > 0;
}

const STEPS: ((ctx: Ctx) => Promise<boolean>)[] = [
  eraseSomeFiles,
  eraseSomeMemories,
  eraseSomeDocuments,
  rowsOf("activity", "owner, number"),
  rowsOf("calendar_tokens", "owner"),
  rowsOf("webhook_deliveries", "id", LARGE_AT_ONCE),
  rowsOf("webhooks", "id"),
  rowsOf("push_subscriptions", "id"),
  rowsOf("reminders", "owner"),
  separateSomeFolders,
  rowsOf("folders", "id"),
  rowsOf("idempotency_keys", "owner, route, key", LARGE_AT_ONCE),
  rowsOf("api_keys", "id"),
  rowsOf("sign_in_addresses", "owner, address"),
  rowsOf("connection_uses", "owner, grant_id"),
  rowsOf("email_links", "hash"),
  rowsOf("security_events", "id"),
  rowsOf("second_factors", "owner"),
  rowsOf("recovery_codes", "owner, hash"),
  rowsOf("passkeys", "id"),
  rowsOf("passkey_challenges", "hash"),
  rowsOf("import_pieces", "import_id, number", LARGE_AT_ONCE),
  rowsOf("imports", "id"),
  rowsOf("customers", "owner"),
  rowsOf("subscriptions", "id"),
  rowsOf("search_totals", "owner, kind"),
  rowsOf("tidy_looks", "owner, part", LARGE_AT_ONCE),
  rowsOf("tidy_kept", "owner, kind, key"),
  rowsOf("document_files", "document_id, file_id"),
  rowsOf("memory_files", "owner, memory_id, file_id"),
  rowsOf("file_looks", "owner"),
  rowsOf("file_texts", "owner, file_id, page", LARGE_AT_ONCE),
  rowsOf("file_words", "owner, file_id"),
  rowsOf("later", "owner, kind, key"),
  rowsOf("usage", "owner"),
];

export type EndConnections = (userId: string) => Promise<boolean>;

/** Erases what a closed account has while `isLeft`, and then the account; returns whether it finished. */
export async function eraseAccount(
  ctx: Ctx,
  endConnections: EndConnections,
  isLeft: () => boolean = () => true,
): Promise<boolean> {
  for (const step of STEPS) while (await withRest(() => step(ctx))) if (!isLeft()) return false;
  if (await endConnections((await ctx.user()).id)) return false;
  await ctx.db.batch([
    ctx.db.delete(users).where(eq(users.number, ctx.owner)),
    // The copy of a move that was given up.
    ctx.db.run(sql`DELETE FROM moves WHERE moves.owner = ${ctx.owner} AND state = 'dropped'`),
  ]);
  return true;
}
