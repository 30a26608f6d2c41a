import { Buffer } from "node:buffer";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { base64url } from "jose";
import { v7 as uuid } from "uuid";
import { pickFields } from "../../../contract/field-spec.ts";
import type {
  Assertion,
  Attestation,
  Passkey,
  PasskeyLoginOptions,
  PasskeyOptions,
} from "../../../contract/passkeys.ts";
import type { BaseCtx, Ctx } from "../../../platform/core/ctx.ts";
import { badRequest, notFound, unauthorized } from "../../../platform/core/errors.ts";
import { hashSecret, newSecret } from "../../../platform/core/secret.ts";
import { assertInBatch } from "../../../platform/db/call.ts";
import { passkeys, users } from "../../../platform/db/tables.ts";
import { ctxUserColumns } from "../../../platform/db/user-columns.ts";
import {
  callerEventStatement,
  eventStatement,
  logFailedSignIn,
} from "../../../platform/security-events/store.ts";
import { assertSignedIn } from "../session-store.ts";
import { requireVerified, type SessionRequest, type SignInResult, signInAs } from "../store.ts";
import { type RelyingParty, readChallenge, verifyAssertion, verifyAttestation } from "./verify.ts";

const CHALLENGE_MINUTES = 5;
const MAX_PASSKEYS = 50;
/** EdDSA, ES256 and RS256, by their COSE numbers. */
const ALGORITHMS = [-8, -7, -257];

const columns = pickFields(passkeys, ["id", "name", "created_at", "last_used_at"]);

const ownedBy = (ctx: Ctx) => eq(passkeys.owner, ctx.owner);

/** A new challenge, for one answer within five minutes. Also deletes expired ones. */
async function newChallenge(ctx: BaseCtx, owner: number | null): Promise<string> {
  const challenge = newSecret();
  const expires = new Date(ctx.now.getTime() + CHALLENGE_MINUTES * 60_000).toISOString();
  await ctx.db.batch([
    ctx.db.run(sql`DELETE FROM passkey_challenges WHERE hash IN (
      SELECT hash FROM passkey_challenges WHERE expires_at < ${ctx.now.toISOString()} LIMIT 100)`),
    ctx.db.run(sql`INSERT INTO passkey_challenges (hash, owner, expires_at)
      VALUES (${await hashSecret(challenge)}, ${owner}, ${expires})`),
  ]);
  return challenge;
}

/** Uses up the challenge that a browser answered; undefined if it is not ours or was answered before. */
async function consumeChallenge(
  ctx: BaseCtx,
  clientDataJSON: string,
  ownerCondition: SQL,
): Promise<string | undefined> {
  const challenge = readChallenge(clientDataJSON);
  if (challenge === undefined) return undefined;
  const taken = await ctx.db.returning(sql`DELETE FROM passkey_challenges
    WHERE hash = ${await hashSecret(challenge)} AND expires_at > ${ctx.now.toISOString()} AND ${ownerCondition} RETURNING 1`);
  return taken.length > 0 ? challenge : undefined;
}

export async function passkeyCreationOptions(ctx: Ctx, rp: RelyingParty): Promise<PasskeyOptions> {
  const { id, email, name } = await ctx.user();
  const existing = await ctx.db.select().from(passkeys).where(ownedBy(ctx));
  return {
    rp: { id: rp.id, name: "Commonplace" },
    user: { id: base64url.encode(id), name: email, displayName: name ?? email },
    challenge: await newChallenge(ctx, ctx.owner),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: CHALLENGE_MINUTES * 60_000,
    excludeCredentials: existing.map(({ credential_id, transports }) => ({
      id: credential_id,
      type: "public-key",
      transports,
    })),
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
    attestation: "none",
  };
}

type NewPasskey = { name: string; attestation: Attestation };

/** Adds a passkey created by a browser. Throws 400 if the browser's response is invalid. */
export async function addPasskey(ctx: Ctx, rp: RelyingParty, input: NewPasskey): Promise<Passkey> {
  const { name, attestation } = input;
  const { clientDataJSON } = attestation.response;
  const challenge = await consumeChallenge(ctx, clientDataJSON, sql`owner = ${ctx.owner}`);
  const key = challenge === undefined ? undefined : await verifyAttestation(attestation, challenge, rp);
  if (!key)
    throw badRequest(
      "The passkey could not be added: it took too long, or was created on another site. Try again",
    );
  const row: Passkey = { id: uuid(), name, created_at: ctx.now.toISOString(), last_used_at: null };
  const isAdded = sql`number = ${ctx.owner} AND EXISTS (SELECT 1 FROM passkeys WHERE passkeys.id = ${row.id})`;
  const [, added] = await ctx.db.batch([
    assertSignedIn(ctx, await ctx.sessionId()),
    ctx.db.returning(sql`INSERT INTO passkeys (id, owner, name, credential_id, public_key, counter, transports, created_at)
      SELECT ${row.id}, ${ctx.owner}, ${name}, ${key.credential_id}, ${key.public_key}, ${key.counter},
        ${JSON.stringify(key.transports)}, ${row.created_at}
      WHERE (SELECT count(*) FROM passkeys WHERE owner = ${ctx.owner}) < ${MAX_PASSKEYS}
      ON CONFLICT (credential_id) DO NOTHING RETURNING id`),
    eventStatement(ctx, { event: "passkey_added", detail: name }, isAdded),
  ]);
  if (added.length === 0)
    throw badRequest(`This passkey has already been added, or you have ${MAX_PASSKEYS}: remove one first`);
  return row;
}

export async function listPasskeys(ctx: Ctx, page: { limit: number; offset: number }) {
  const [items, total] = await ctx.db.batch([
    ctx.db
      .select(columns)
      .from(passkeys)
      .where(ownedBy(ctx))
      .orderBy(desc(passkeys.id))
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ count: sql<number>`count(*)` }).from(passkeys).where(ownedBy(ctx)),
  ]);
  return { items, total: total[0]?.count ?? 0 };
}

export async function renamePasskey(ctx: Ctx, id: string, name: string): Promise<Passkey> {
  const [renamed] = await ctx.db
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.id, id), ownedBy(ctx)))
    .returning(columns);
  if (!renamed) throw notFound();
  return renamed;
}

export async function removePasskey(ctx: Ctx, id: string): Promise<void> {
  const passkey = sql`FROM passkeys WHERE id = ${id} AND owner = ${ctx.owner}`;
  await ctx.db.batch([
    assertInBatch(ctx, sql`EXISTS (SELECT 1 ${passkey})`, "not-found"),
    callerEventStatement(ctx, "passkey_removed", sql`(SELECT name ${passkey})`),
    ctx.db.run(sql`DELETE ${passkey}`),
  ]);
}

export const passkeyLoginOptions = async (
  ctx: BaseCtx,
  { id }: RelyingParty,
): Promise<PasskeyLoginOptions> => ({
  challenge: await newChallenge(ctx, null),
  rpId: id,
  timeout: CHALLENGE_MINUTES * 60_000,
  userVerification: "required",
  allowCredentials: [],
});

/** `first`: the first shard, which has the challenges of all sign-ins, because the account is not known when they start. */
export type PasskeyLogin = SessionRequest & { assertion: Assertion; first: BaseCtx; onlyVerified: boolean };

/** The id of the passkey's account according to the authenticator; empty if it gives none. */
export const assertedUserId = ({ response: { userHandle } }: Assertion): string =>
  Buffer.from(userHandle ?? "", "base64url").toString();

/** Signs in with a passkey, which is two factors by itself. Throws 401, and 403 for an unconfirmed address. */
export async function loginWithPasskey(
  ctx: BaseCtx,
  rp: RelyingParty,
  input: PasskeyLogin,
): Promise<SignInResult> {
  const { assertion, first, onlyVerified, ...signIn } = input;
  const challenge = await consumeChallenge(first, assertion.response.clientDataJSON, sql`owner IS NULL`);
  const [[key], [user]] = await ctx.db.batch([
    ctx.db.select().from(passkeys).where(eq(passkeys.credential_id, assertion.id)),
    ctx.db
      .select({ ...ctxUserColumns, epoch: users.sign_in_epoch })
      .from(users)
      .where(sql`deleted_at IS NULL AND closed_at IS NULL
      AND number = (SELECT owner FROM passkeys WHERE credential_id = ${assertion.id})`),
  ]);
  // WebAuthn Level 3, section 7.2, step 6: required, because the sign-in names no passkeys.
  const isOwn = assertedUserId(assertion) === user?.id;
  if (challenge === undefined || !key || !user || !isOwn)
    throw unauthorized("This passkey is unknown, or signing in took too long: try again");
  const counter = await verifyAssertion(assertion, challenge, { rp, key });
  if (counter === undefined) {
    await logFailedSignIn(ctx, user.email);
    throw unauthorized("The passkey's answer is not valid: try again");
  }
  requireVerified(user, onlyVerified);
  return signInAs(ctx, user, signIn, recordUseStatements(ctx, key.id, counter));
}

/** Statements that record a use of a passkey. Counters only grow; synchronized passkeys always report 0. */
const recordUseStatements = (ctx: BaseCtx, id: string, counter: number) => [
  assertInBatch(
    ctx,
    sql`EXISTS (SELECT 1 FROM passkeys WHERE id = ${id} AND (counter < ${counter} OR (counter = 0 AND ${counter} = 0)))`,
    "passkey-used",
  ),
  ctx.db.run(sql`UPDATE passkeys SET counter = ${counter}, last_used_at = ${ctx.now.toISOString()}
    WHERE id = ${id}`),
];
