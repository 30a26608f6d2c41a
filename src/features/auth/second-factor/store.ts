import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { SecondFactor } from "../../../contract/second-factor.ts";
import type { Ctx, OwnerCtx } from "../../../platform/core/ctx.ts";
import { badRequest } from "../../../platform/core/errors.ts";
import { hashSecret } from "../../../platform/core/secret.ts";
import { assertInBatch } from "../../../platform/db/call.ts";
import { recovery_codes, second_factors } from "../../../platform/db/tables.ts";
import { callerEventStatement } from "../../../platform/security-events/store.ts";
import type { SigningKeys } from "../token.ts";
import { isTotpCode, newRecoveryCodes, newTotpSecret, normalizeCode, otpauthUrl, totpStep } from "./code.ts";
import { isSealedWithOldKey, openSecret, sealSecret } from "./secret.ts";

export async function getSecondFactor(ctx: Ctx): Promise<SecondFactor> {
  const [[factor], codes] = await ctx.db.batch([
    ctx.db
      .select({ confirmed_at: second_factors.confirmed_at })
      .from(second_factors)
      .where(and(eq(second_factors.owner, ctx.owner), isNotNull(second_factors.confirmed_at))),
    ctx.db
      .select({ hash: recovery_codes.hash })
      .from(recovery_codes)
      .where(eq(recovery_codes.owner, ctx.owner)),
  ]);
  const created_at = factor?.confirmed_at ?? null;
  return { enabled: created_at !== null, created_at, recovery_codes_left: codes.length };
}

/** Stores a new secret; no code is required until it is confirmed. Throws 400 if two-factor authentication is on. */
export async function startSecondFactor(ctx: Ctx, keys: SigningKeys) {
  const secret = newTotpSecret();
  const stored = await ctx.db.returning(sql`INSERT INTO second_factors (owner, secret, created_at)
    VALUES (${ctx.owner}, ${await sealSecret(keys, secret)}, ${ctx.now.toISOString()})
    ON CONFLICT (owner) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at, last_step = 0
    WHERE confirmed_at IS NULL RETURNING owner`);
  if (stored.length === 0) throw badRequest("Two-factor authentication is already on: turn it off first");
  return { secret, otpauth_url: otpauthUrl(secret, (await ctx.user()).email) };
}

async function replaceCodes(ctx: OwnerCtx) {
  const codes = newRecoveryCodes();
  const hashes = await Promise.all(codes.map((code) => hashSecret(normalizeCode(code))));
  const statements = [
    ctx.db.run(sql`DELETE FROM recovery_codes WHERE owner = ${ctx.owner}`),
    ctx.db.run(sql`INSERT INTO recovery_codes (owner, hash)
      SELECT ${ctx.owner}, value FROM json_each(${JSON.stringify(hashes)})`),
  ] as const;
  return { codes, statements };
}

/** Turns on two-factor authentication with the first code; returns the recovery codes. Throws 400 for a wrong code. */
export async function confirmSecondFactor(ctx: Ctx, keys: SigningKeys, code: string): Promise<string[]> {
  const [factor] = await ctx.db.select().from(second_factors).where(eq(second_factors.owner, ctx.owner));
  if (!factor || factor.confirmed_at !== null)
    throw badRequest("There is nothing to confirm: start with POST /api/auth/second-factor");
  const secret = await openSecret(keys, factor.secret);
  const step = secret === undefined ? undefined : totpStep(secret, normalizeCode(code), ctx.now);
  if (step === undefined)
    throw badRequest("The code is wrong: enter the current code from the app, and check the device's clock");
  const { codes, statements } = await replaceCodes(ctx);
  const isUnconfirmed = sql`EXISTS (SELECT 1 FROM second_factors
    WHERE owner = ${ctx.owner} AND secret = ${factor.secret} AND confirmed_at IS NULL)`;
  await ctx.db.batch([
    assertInBatch(ctx, isUnconfirmed, "stale"),
    ctx.db.run(sql`UPDATE second_factors SET confirmed_at = ${ctx.now.toISOString()}, last_step = ${step}
      WHERE owner = ${ctx.owner}`),
    // A passkey being added at this moment was started without a code.
    ctx.db.run(sql`DELETE FROM passkey_challenges WHERE owner = ${ctx.owner}`),
    ...statements,
    callerEventStatement(ctx, "second_factor_added"),
  ]);
  return codes;
}

async function consumeRecoveryCode(ctx: OwnerCtx, plain: string): Promise<boolean> {
  const used = await ctx.db.returning(sql`DELETE FROM recovery_codes
    WHERE owner = ${ctx.owner} AND hash = ${await hashSecret(plain)} RETURNING 1`);
  if (used.length > 0) await callerEventStatement(ctx, "recovery_code_used");
  return used.length > 0;
}

/** Uses up a code. Of parallel requests one succeeds, and older codes stop working (RFC 6238 section 5.2). */
export async function consumeCode(
  ctx: OwnerCtx,
  keys: SigningKeys,
  sealed: string,
  code: string,
): Promise<boolean> {
  const plain = normalizeCode(code);
  if (!isTotpCode(plain)) return consumeRecoveryCode(ctx, plain);
  const secret = await openSecret(keys, sealed);
  const step = secret === undefined ? undefined : totpStep(secret, plain, ctx.now);
  if (secret === undefined || step === undefined) return false;
  const resealed = isSealedWithOldKey(keys, sealed) ? await sealSecret(keys, secret) : sealed;
  const accepted =
    await ctx.db.returning(sql`UPDATE second_factors SET last_step = ${step}, secret = ${resealed}
    WHERE owner = ${ctx.owner} AND secret = ${sealed} AND last_step < ${step} RETURNING owner`);
  return accepted.length > 0;
}

export async function requireCode(ctx: Ctx, keys: SigningKeys, sealed: string, code: string): Promise<void> {
  if (!(await consumeCode(ctx, keys, sealed, code)))
    throw badRequest("The code is wrong or has already been used: wait for the next one");
}

export async function renewRecoveryCodes(ctx: Ctx): Promise<string[]> {
  const { codes, statements } = await replaceCodes(ctx);
  await ctx.db.batch([...statements, callerEventStatement(ctx, "recovery_codes_created")]);
  return codes;
}

export async function removeSecondFactor(ctx: Ctx): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(second_factors).where(eq(second_factors.owner, ctx.owner)),
    ctx.db.delete(recovery_codes).where(eq(recovery_codes.owner, ctx.owner)),
    callerEventStatement(ctx, "second_factor_removed"),
  ]);
}
