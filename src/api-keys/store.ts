import { and, desc, eq, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { Credential } from "../auth/caller-store.ts";
import { HOME } from "../auth/token.ts";
import type { BaseCtx, Ctx } from "../core/ctx.ts";
import { badRequest, invalid, notFound, unauthorized } from "../core/errors.ts";
import { hashSecret, newSecret } from "../core/secret.ts";
import type { Access } from "../core/tool.ts";
import { api_keys } from "../db/tables.ts";
import type { ApiKey, ApiKeyCreateRequest, ApiKeyList, NewApiKey } from "./schema.ts";

/** How every key begins, so that secret scanners and people know one when they see it. */
const PREFIX = "cpk_";
const HINT_SECRET = 4;
const MAX_KEYS = 100;

/** A key says where its user's data is: `cpk_<home>.<number>.<secret>`. Older ones are a secret alone. */
const KEY = /^cpk_1\.([1-9]\d{0,15})\.[\w-]{43}$/;

const shown = {
  id: api_keys.id,
  name: api_keys.name,
  hint: api_keys.hint,
  scopes: api_keys.scopes,
  created_at: api_keys.created_at,
  expires_at: api_keys.expires_at,
  last_used_at: api_keys.last_used_at,
};

const mine = (ctx: Ctx) => eq(api_keys.owner, ctx.owner);
const countMine = (ctx: Ctx) =>
  ctx.db.select({ count: sql<number>`count(*)` }).from(api_keys).where(mine(ctx));

/** Makes a key and shows it this once. Throws 422 for an end in the past, 400 when there are too many keys. */
export async function createApiKey(ctx: Ctx, input: ApiKeyCreateRequest): Promise<NewApiKey> {
  const created_at = ctx.now.toISOString();
  const { name, scopes, expires_at = null } = input;
  if (expires_at !== null && expires_at <= created_at) throw invalid("expires_at: must be in the future");
  const key = `${PREFIX}${HOME}.${ctx.owner}.${newSecret()}`;
  const row: ApiKey = {
    id: uuid(),
    name,
    hint: key.slice(0, key.lastIndexOf(".") + 1 + HINT_SECRET),
    scopes,
    created_at,
    expires_at,
    last_used_at: null,
  };
  const inserted = await ctx.db.all(sql`
    INSERT INTO api_keys (id, owner, name, hint, hash, scopes, created_at, expires_at)
    SELECT ${row.id}, ${ctx.owner}, ${name}, ${row.hint}, ${await hashSecret(key)}, ${JSON.stringify(scopes)},
      ${created_at}, ${expires_at}
    WHERE (SELECT count(*) FROM api_keys WHERE owner = ${ctx.owner}) < ${MAX_KEYS} RETURNING id`);
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

export const isApiKey = (token: string) => token.startsWith(PREFIX);

/** What a key shows. The owner of one of the older form is looked up, at the price of a call. Throws 401. */
export async function keyCredential(
  base: BaseCtx,
  key: string,
  needs: readonly Access[],
): Promise<Credential> {
  const hash = await hashSecret(key);
  const number = KEY.exec(key)?.[1];
  if (number) return { kind: "key", owner: Number(number), hash, needs };
  const [row] = await base.db.select({ owner: api_keys.owner }).from(api_keys).where(eq(api_keys.hash, hash));
  if (!row) throw unauthorized();
  return { kind: "key", owner: row.owner, hash, needs };
}

/** Deletes keys whose time is over. */
export async function purgeApiKeys(ctx: BaseCtx): Promise<void> {
  await ctx.db.run(sql`DELETE FROM api_keys WHERE id IN (
    SELECT id FROM api_keys WHERE expires_at < ${ctx.now.toISOString()} LIMIT 1000)`);
}
