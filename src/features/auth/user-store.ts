import { sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { RegistrationMode, User } from "../../contract/auth.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import type { subscriptions } from "../../platform/db/tables.ts";
import { eventStatement } from "../../platform/security-events/store.ts";
import { isAddressInOtherShard } from "../../platform/shards/address-directory-store.ts";
import { isAddressReserved } from "./email/link-store.ts";
import { ALREADY_REGISTERED, registrationCodeStatements } from "./registration-store.ts";

export type NewUser = {
  email: string;
  password_hash: string;
  name?: string | undefined;
  timezone?: string | undefined;
  planTier: (typeof subscriptions.$inferInsert)["plan_tier"];
  code?: string | undefined;
  mode: RegistrationMode;
  isVouchedFor: boolean;
  /** Whether the first account becomes the admin's without a link. */
  firstIsAdmin: boolean;
};

const roleWithoutCode = (firstIsAdmin: boolean) =>
  firstIsAdmin
    ? sql`CASE WHEN EXISTS (SELECT 1 FROM users WHERE deleted_at IS NULL) THEN 'member' ELSE 'admin' END`
    : sql`'member'`;

/** `more`: statements for the same transaction. Throws 400 when the email is taken or reserved, 403 for an invalid code. */
export async function createUser(ctx: BaseCtx, id: string, input: NewUser, more: BatchItem[] = []) {
  const now = ctx.now.toISOString();
  const stale_after_days = { commitment: 14, blocker: 7 };
  const { email, code } = input;
  const fields = {
    name: input.name ?? null,
    timezone: input.timezone ?? "UTC",
    stale_after_days,
    created_at: now,
    email_verified_at: input.isVouchedFor ? now : null,
  };
  const codeUse =
    code === undefined ? undefined : await registrationCodeStatements(ctx, { ...input, code, userId: id });
  const [[inserted]] = await ctx.db.batch([
    ctx.db.returning<{
      number: number;
      role: User["role"];
    }>(sql`INSERT INTO users (id, email, password_hash, name, role, timezone, stale_after_days, created_at,
        email_verified_at)
      SELECT ${id}, ${email}, ${input.password_hash}, ${fields.name}, ${codeUse?.role ?? roleWithoutCode(input.firstIsAdmin)},
        ${fields.timezone}, ${JSON.stringify(stale_after_days)}, ${now}, ${fields.email_verified_at}
      WHERE NOT ${isAddressInOtherShard(ctx, email)} ON CONFLICT (email) DO NOTHING RETURNING number, role`),
    ctx.db.run(sql`INSERT INTO subscriptions (id, owner, plan_tier, status, created_at)
      SELECT ${uuid()}, number, ${input.planTier}, 'active', ${now} FROM users WHERE id = ${id}`),
    eventStatement(ctx, { event: "registered" }, sql`id = ${id}`),
    ...more,
    ...(codeUse?.statements ?? []),
    assertInBatch(ctx, sql`NOT ${isAddressReserved(ctx, email)}`, "email-reserved"),
  ]);
  if (!inserted) throw badRequest(ALREADY_REGISTERED);
  const { number: owner, role } = inserted;
  return { owner, user: { id, email, role, ...fields } };
}
