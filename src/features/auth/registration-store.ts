import { sql } from "drizzle-orm";
import type { RegistrationMode } from "../../contract/auth.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { badRequest, conflict } from "../../platform/core/errors.ts";
import { hashSecret, newSecret } from "../../platform/core/secret.ts";
import { assertInBatch } from "../../platform/db/call.ts";
import { retention } from "../../platform/db/delete-in-steps.ts";
import { claimAddressStatement } from "../../platform/shards/address-directory-store.ts";

const DAY_MS = 86_400_000;
const INVITATION_DAYS = 7;
const SET_UP_DAYS = 1;

const ADMINS = sql`SELECT 1 FROM users WHERE role = 'admin' AND deleted_at IS NULL`;

export type RegistrationState = { mode: RegistrationMode; needsSetUp: boolean; isEmpty: boolean };

/** The registration mode: `configured`, unless the operator has overridden it with `npm run admin`. */
export async function registrationState(
  ctx: BaseCtx,
  configured: RegistrationMode,
): Promise<RegistrationState> {
  const [row] = await ctx.db.all<{ decided: RegistrationMode | null; has_admin: number; has_users: number }>(
    sql`SELECT (SELECT value FROM settings WHERE name = 'registration') AS decided, EXISTS (${ADMINS}) AS has_admin,
      EXISTS (SELECT 1 FROM users) AS has_users`,
  );
  return {
    mode: row?.decided ?? configured,
    needsSetUp: row?.has_admin !== 1,
    isEmpty: row?.has_users !== 1,
  };
}

export async function registrationOverride(ctx: BaseCtx): Promise<RegistrationMode | undefined> {
  const [row] = await ctx.db.all<{ value: RegistrationMode }>(
    sql`SELECT value FROM settings WHERE name = 'registration'`,
  );
  return row?.value;
}

/** Overrides the configured registration mode; undefined removes the override. */
export async function overrideRegistration(ctx: BaseCtx, mode: RegistrationMode | undefined): Promise<void> {
  await ctx.db.run(
    mode === undefined
      ? sql`DELETE FROM settings WHERE name = 'registration'`
      : sql`INSERT INTO settings (name, value) VALUES ('registration', ${mode})
          ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
}

type NewLink = { role: "admin" | "member"; email?: string | undefined; days: number };

async function linkStatement(ctx: BaseCtx, { role, email, days }: NewLink) {
  const code = newSecret();
  const expires = new Date(ctx.now.getTime() + days * DAY_MS).toISOString();
  const statement = ctx.db.run(sql`INSERT INTO registration_links (hash, role, email, created_at, expires_at)
    VALUES (${await hashSecret(code)}, ${role}, ${email ?? null}, ${ctx.now.toISOString()}, ${expires})`);
  return { code, statement };
}

/** Creates the code of an invitation: for one account, within 7 days. */
export async function createInvitation(ctx: BaseCtx, email?: string): Promise<string> {
  const { code, statement } = await linkStatement(ctx, { role: "member", email, days: INVITATION_DAYS });
  await statement;
  return code;
}

/** Creates the code for the admin's account: it works once, for a day, and replaces an earlier one. Throws 409. */
export async function createSetUpCode(ctx: BaseCtx): Promise<string> {
  const { needsSetUp } = await registrationState(ctx, "closed");
  if (!needsSetUp) throw conflict("There is already an admin: use `role` to make another account an admin");
  const { code, statement } = await linkStatement(ctx, { role: "admin", days: SET_UP_DAYS });
  await ctx.db.batch([ctx.db.run(sql`DELETE FROM registration_links WHERE role = 'admin'`), statement]);
  return code;
}

/** The role that a link gives, and whether the address needs no confirmation. Undefined for an unknown code. */
export async function findRegistrationLink(ctx: BaseCtx, code: string) {
  const [link] = await ctx.db.all<{ role: "admin" | "member"; email: string | null }>(
    sql`SELECT role, email FROM registration_links WHERE hash = ${await hashSecret(code)}`,
  );
  return link && { role: link.role, isVouchedFor: link.role === "admin" || link.email !== null };
}

export const ALREADY_REGISTERED = "This email address is already registered: sign in instead";

type AddressClaim = { email: string; home: number; code?: string | undefined; mode: RegistrationMode };

/** Claims an address for another shard and uses up the invitation. Returns the shard. Throws 400 when taken, 403. */
export async function claimAddress(
  first: BaseCtx,
  { email, home, code, mode }: AddressClaim,
): Promise<number> {
  const link = code === undefined ? null : await hashSecret(code);
  const isClaimed = sql`EXISTS (SELECT 1 FROM address_book
    WHERE address_book.email = ${email} AND state = 'claimed' AND link = ${link})`;
  const isValid = sql`EXISTS (SELECT 1 FROM registration_links WHERE hash = ${link} AND role = 'member'
    AND expires_at > ${first.now.toISOString()} AND coalesce(email, ${email}) = ${email} AND ${mode !== "closed"})`;
  const [, [claimed]] = await first.db.batch([
    assertInBatch(first, link === null ? sql`true` : sql`${isClaimed} OR ${isValid}`, "registration-link"),
    claimAddressStatement(first, { email, home, link }),
    first.db.run(sql`DELETE FROM registration_links WHERE hash = ${link} AND ${isClaimed}`),
  ]);
  if (!claimed) throw badRequest(ALREADY_REGISTERED);
  return claimed.home;
}

type CodeUse = { code: string; email: string; mode: RegistrationMode; userId: string };

/** What a code adds to the batch of a registration: the role, and statements that use the code up exactly once. */
export async function registrationCodeStatements(ctx: BaseCtx, { code, email, mode, userId }: CodeUse) {
  const link = sql`FROM registration_links WHERE hash = ${await hashSecret(code)}`;
  // Closing registration also stops invitations; an admin can still be set up.
  const invited = mode === "closed" ? sql`false` : sql`role = 'member'`;
  const valid = sql`EXISTS (SELECT 1 ${link} AND expires_at > ${ctx.now.toISOString()}
    AND coalesce(email, ${email}) = ${email}
    AND (${invited} OR role = 'admin' AND NOT EXISTS (${ADMINS} AND id <> ${userId})))`;
  return {
    role: sql`coalesce((SELECT role ${link}), 'member')`,
    statements: [
      assertInBatch(ctx, valid, "registration-link"),
      // Kept if the email address was taken, so that the link works with another one.
      ctx.db.run(sql`DELETE ${link} AND EXISTS (SELECT 1 FROM users WHERE id = ${userId})`),
    ] as const,
  };
}

export const registrationLinkRetention = retention("registration_links", {
  key: "hash",
  column: "expires_at",
  hasOwner: false,
});
