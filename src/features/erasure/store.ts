import { eq, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/core/ctx.ts";
import { users } from "../../platform/db/tables.ts";
import { withRest } from "../../platform/queue/yielding.ts";
import { eraseSomeDocuments } from "../documents/trash-store.ts";
import { eraseAccountFileBatch } from "../files/erase-store.ts";
import { eraseSomeMemories } from "../memories/import-store.ts";

// The account is first marked as deleted in one transaction, then its rows are erased in bounded steps.

const ROWS_PER_STEP = 500;
/** The same for tables with rows of up to a megabyte. */
const LARGE_ROWS_PER_STEP = 20;

/** Marks the account as deleted: signing in is no longer possible, and its email address can be registered again. */
export async function markAccountDeleted(ctx: Ctx): Promise<void> {
  const { owner } = ctx;
  await ctx.db.batch([
    ctx.db.run(sql`DELETE FROM refresh_tokens
      WHERE session_id IN (SELECT id FROM sessions WHERE owner = ${owner})`),
    ctx.db.run(sql`DELETE FROM sessions WHERE owner = ${owner}`),
    ctx.db.run(sql`DELETE FROM email_links WHERE owner = ${owner}`),
    ctx.db.run(sql`UPDATE users SET email = 'erased:' || id, password_hash = '', name = NULL,
      deleted_at = ${ctx.now.toISOString()} WHERE number = ${owner}`),
  ]);
}

/** A step that erases rows without references to them; `key` are the columns that identify a row. */
const eraseRows =
  (table: string, key: string, most = ROWS_PER_STEP) =>
  async (ctx: Ctx) => {
    const [name, columns] = [sql.raw(table), sql.raw(key)];
    const erased = await ctx.db.returning(sql`DELETE FROM ${name} WHERE (${columns}) IN (
    SELECT ${columns} FROM ${name} WHERE owner = ${ctx.owner} LIMIT ${most}) RETURNING 1`);
    return erased.length > 0;
  };

async function detachSomeFolders(ctx: Ctx): Promise<boolean> {
  const detached = await ctx.db.returning(sql`UPDATE folders SET parent_id = NULL WHERE id IN (
    SELECT id FROM folders WHERE owner = ${ctx.owner} AND parent_id IS NOT NULL LIMIT ${ROWS_PER_STEP}) RETURNING id`);
  return detached.length > 0;
}

const STEPS: ((ctx: Ctx) => Promise<boolean>)[] = [
  eraseAccountFileBatch,
  eraseSomeMemories,
  eraseSomeDocuments,
  eraseRows("activity", "owner, number"),
  eraseRows("calendar_tokens", "owner"),
  eraseRows("webhook_deliveries", "id", LARGE_ROWS_PER_STEP),
  eraseRows("webhooks", "id"),
  eraseRows("push_subscriptions", "id"),
  eraseRows("reminders", "owner"),
  detachSomeFolders,
  eraseRows("folders", "id"),
  eraseRows("idempotency_keys", "owner, route, key", LARGE_ROWS_PER_STEP),
  eraseRows("api_keys", "id"),
  eraseRows("sign_in_addresses", "owner, address"),
  eraseRows("connection_uses", "owner, grant_id"),
  eraseRows("email_links", "hash"),
  eraseRows("security_events", "id"),
  eraseRows("second_factors", "owner"),
  eraseRows("recovery_codes", "owner, hash"),
  eraseRows("passkeys", "id"),
  eraseRows("passkey_challenges", "hash"),
  eraseRows("import_pieces", "import_id, number", LARGE_ROWS_PER_STEP),
  eraseRows("imports", "id"),
  eraseRows("customers", "owner"),
  eraseRows("subscriptions", "id"),
  eraseRows("search_totals", "owner, kind"),
  eraseRows("tidy_looks", "owner, part", LARGE_ROWS_PER_STEP),
  eraseRows("tidy_kept", "owner, kind, key"),
  eraseRows("document_files", "document_id, file_id"),
  eraseRows("document_links", "owner, from_id, target_key"),
  eraseRows("document_aliases", "owner, key, document_id"),
  eraseRows("memory_files", "owner, memory_id, file_id"),
  eraseRows("file_looks", "owner"),
  eraseRows("file_texts", "owner, file_id, page", LARGE_ROWS_PER_STEP),
  eraseRows("file_words", "owner, file_id"),
  eraseRows("later", "owner, kind, key"),
  eraseRows("usage", "owner"),
];

/**
 * Erases the rows of a deleted account while there is budget, and then the account. Returns whether it is complete.
 * `revokeConnections` returns whether there may be more.
 */
export async function eraseAccount(
  ctx: Ctx,
  revokeConnections: (userId: string) => Promise<boolean>,
  hasBudget: () => boolean = () => true,
): Promise<boolean> {
  for (const step of STEPS) while (await withRest(() => step(ctx))) if (!hasBudget()) return false;
  if (await revokeConnections((await ctx.user()).id)) return false;
  await ctx.db.batch([
    ctx.db.delete(users).where(eq(users.number, ctx.owner)),
    // For the copy of an abandoned migration.
    ctx.db.run(sql`DELETE FROM moves WHERE moves.owner = ${ctx.owner} AND state = 'dropped'`),
  ]);
  return true;
}
