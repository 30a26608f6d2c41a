import { desc, eq, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { ApiKey, ApiKeyCreateRequest, ApiKeyList, NewApiKey } from "../../contract/api-keys.ts";
import { pickFields } from "../../contract/field-spec.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { unprocessable } from "../../platform/core/errors.ts";
import { hashSecret } from "../../platform/core/secret.ts";
import { assertInBatch, sendBatch } from "../../platform/db/call.ts";
import { retention } from "../../platform/db/delete-in-steps.ts";
import { api_keys } from "../../platform/db/tables.ts";
import { callerEventStatement } from "../../platform/security-events/store.ts";
import { newApiKey } from "../auth/key-store.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";

/** Characters of the secret that the hint shows. */
const HINT_LENGTH = 4;
const MAX_KEYS = 100;

const columns = pickFields(api_keys, [
  "id",
  "name",
  "hint",
  "scopes",
  "created_at",
  "expires_at",
  "last_used_at",
]);

/** Returns the key, which cannot be read again. Throws 422 for a past expiry, 403 over the plan's limit, 400 for too many. */
export async function createApiKey(ctx: Ctx, input: ApiKeyCreateRequest): Promise<NewApiKey> {
  const created_at = ctx.now.toISOString();
  const { name, scopes, expires_at = null } = input;
  if (expires_at !== null && expires_at <= created_at)
    throw unprocessable("expires_at: must be in the future");
  const key = newApiKey(ctx);
  const row: ApiKey = {
    id: uuid(),
    name,
    hint: key.slice(0, key.lastIndexOf(".") + 1 + HINT_LENGTH),
    scopes,
    created_at,
    expires_at,
    last_used_at: null,
  };
  const isBelowLimit = sql`(SELECT count(*) FROM api_keys WHERE owner = ${ctx.owner}) < ${sql.raw(String(MAX_KEYS))}`;
  await sendBatch(ctx, [
    ...assertQuotaLeft(ctx, { api_keys: 1 }),
    assertInBatch(ctx, isBelowLimit, "too-many-keys"),
    ctx.db.insert(api_keys).values({ ...row, owner: ctx.owner, hash: await hashSecret(key) }),
    callerEventStatement(ctx, "api_key_created", name),
  ]);
  return { ...row, key };
}

export async function listApiKeys(ctx: Ctx, page: { limit: number; offset: number }): Promise<ApiKeyList> {
  const isOwned = eq(api_keys.owner, ctx.owner);
  const [items, [total]] = await ctx.db.batch([
    ctx.db
      .select(columns)
      .from(api_keys)
      .where(isOwned)
      .orderBy(desc(api_keys.created_at), desc(api_keys.id))
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ count: sql<number>`count(*)` }).from(api_keys).where(isOwned),
  ]);
  return { items, total: total?.count ?? 0 };
}

/** Throws 404 if the caller has no key with this id. */
export async function revokeApiKey(ctx: Ctx, id: string): Promise<void> {
  const key = sql`FROM api_keys WHERE id = ${id} AND owner = ${ctx.owner}`;
  await ctx.db.batch([
    assertInBatch(ctx, sql`EXISTS (SELECT 1 ${key})`, "not-found"),
    callerEventStatement(ctx, "api_key_revoked", sql`(SELECT name ${key})`),
    ctx.db.run(sql`DELETE ${key}`),
  ]);
}

export const apiKeyRetention = retention("api_keys", { key: "id", column: "expires_at" });
