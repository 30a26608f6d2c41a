import { and, desc, eq, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { BaseCtx, Ctx, CtxUser } from "../core/ctx.ts";
import { badRequest, invalid, notFound } from "../core/errors.ts";
import { hashSecret, newSecret } from "../core/secret.ts";
import type { Access } from "../core/tool.ts";
import { api_keys, users } from "../db/tables.ts";
import { ctxUserColumns } from "../db/user-columns.ts";
import type { ApiKey, ApiKeyCreateRequest, ApiKeyList, NewApiKey } from "./schema.ts";

/** How every key begins, so that secret scanners and people know one when they see it. */
export const KEY_PREFIX = "cpk_";

const HINT_LENGTH = KEY_PREFIX.length + 4;
const MAX_KEYS = 100;
/** The last use is written down at most so often. */
const NOTED_EVERY_MS = 60_000;

const shown = {
  id: api_keys.id,
  name: api_keys.name,
  hint: api_keys.hint,
  scopes: api_keys.scopes,
  created_at: api_keys.created_at,
  expires_at: api_keys.expires_at,
  last_used_at: api_keys.last_used_at,
};

const mine = (ctx: Ctx) => eq(api_keys.owner, ctx.user.number);
const countMine = (ctx: Ctx) =>
  ctx.db.select({ count: sql<number>`count(*)` }).from(api_keys).where(mine(ctx));

/** Makes a key and shows it this once. Throws 422 for an end in the past, 400 when there are too many keys. */
export async function createApiKey(ctx: Ctx, input: ApiKeyCreateRequest): Promise<NewApiKey> {
  const created_at = ctx.now.toISOString();
  const { name, scopes, expires_at = null } = input;
  if (expires_at !== null && expires_at <= created_at) throw invalid("expires_at: must be in the future");
  const key = `${KEY_PREFIX}${newSecret()}`;
  const row: ApiKey = {
    id: uuid(),
    name,
    hint: key.slice(0, HINT_LENGTH),
    scopes,
    created_at,
    expires_at,
    last_used_at: null,
  };
  const inserted = await ctx.db.all(sql`
    INSERT INTO api_keys (id, owner, name, hint, hash, scopes, created_at, expires_at)
    SELECT ${row.id}, ${ctx.user.number}, ${name}, ${row.hint}, ${await hashSecret(key)}, ${JSON.stringify(scopes)},
      ${created_at}, ${expires_at}
    WHERE (SELECT count(*) FROM api_keys WHERE owner = ${ctx.user.number}) < ${MAX_KEYS} RETURNING id`);
  if (inserted.length === 0) throw badRequest(`There are ${MAX_KEYS} keys already: revoke one first`);
  return { ...row, key };
}

/** The caller's keys, newest first. */
export async function listApiKeys(ctx: Ctx, page: { limit: number; offset: number }): Promise<ApiKeyList> {
  const [items, [total]] = await ctx.db.batch([
    ctx.db
      .select(shown)
      .from(api_keys)
      .where(mine(ctx))
      .orderBy(desc(api_keys.created_at), desc(api_keys.id))
      .limit(page.limit)
      .offset(page.offset),
    countMine(ctx),
  ]);
  return { items, total: total?.count ?? 0 };
}

/** Ends a key at once. Throws 404 when the caller has none with this id. */
export async function revokeApiKey(ctx: Ctx, id: string): Promise<void> {
  const deleted = await ctx.db
    .delete(api_keys)
    .where(and(eq(api_keys.id, id), mine(ctx)))
    .returning({ id: api_keys.id });
  if (deleted.length === 0) throw notFound();
}

/** Whose key this is and what it may do, or undefined. Writes down that it was used. */
export async function useApiKey(
  ctx: BaseCtx,
  key: string,
): Promise<{ user: CtxUser; scopes: Access[]; name: string } | undefined> {
  const now = ctx.now.toISOString();
  const before = new Date(ctx.now.getTime() - NOTED_EVERY_MS).toISOString();
  const living = and(
    eq(api_keys.hash, await hashSecret(key)),
    sql`(${api_keys.expires_at} IS NULL OR ${api_keys.expires_at} > ${now})`,
  );
  const [[found]] = await ctx.db.batch([
    ctx.db
      .select({
        ...ctxUserColumns,
        scopes: sql<Access[]>`${api_keys.scopes}`.mapWith(api_keys.scopes).as("key_scopes"),
        key_name: sql<string>`${api_keys.name}`.as("key_name"),
      })
      .from(api_keys)
      .innerJoin(users, eq(users.number, api_keys.owner))
      .where(and(living, sql`${users.deleted_at} IS NULL`)),
    ctx.db
      .update(api_keys)
      .set({ last_used_at: now })
      .where(and(living, sql`coalesce(${api_keys.last_used_at}, '') < ${before}`)),
  ]);
  if (!found) return undefined;
  const { scopes, key_name, ...user } = found;
  return { user, scopes, name: key_name };
}

/** Deletes keys whose time is over. */
export async function purgeApiKeys(ctx: BaseCtx): Promise<void> {
  await ctx.db.run(sql`DELETE FROM api_keys WHERE id IN (
    SELECT id FROM api_keys WHERE expires_at < ${ctx.now.toISOString()} LIMIT 1000)`);
}
