import { sql } from "drizzle-orm";
import type { PlanTier } from "../../contract/billing.ts";
import type { Access } from "../../contract/access.ts";
import type { Actor, BaseCtx, Ctx, CtxUser, DaySettings } from "../../platform/core/ctx.ts";
import { unauthorized } from "../../platform/core/errors.ts";
import { accountName } from "../../contract/home.ts";
import { Moved, rememberMove } from "../../platform/core/moved.ts";
import { remembering } from "../../platform/core/recent.ts";
import { type Escort, openDatabase } from "../../platform/db/call.ts";
import { unfencedText } from "../../db/fence.ts";
import { ctxUserColumns } from "../../platform/db/user-columns.ts";
import { sessionEnd } from "./session.ts";

// Authenticates the caller in the request's first database call. A credential contains its user's number, so the
// request's own statements can be built before the database has confirmed the caller. The statement built here runs in
// front of them and rolls them back if the credential is no longer valid.

/** A caller's credential, with the home and the number of its user: a token with a valid signature, a session cookie, a key, or a grant of an MCP client. */
export type Credential = { home: number; owner: number } & (
  | { kind: "session"; user_id: string; session_id: string }
  | { kind: "cookie"; hash: string; user_id?: string | undefined }
  | { kind: "key"; hash: string; needs: readonly Access[] }
  | { kind: "grant"; user_id: string; epoch: number; grant_id?: string | undefined }
);

/** A key's scopes and name; only the query for a key returns them. */
type KeyRow = { key_scopes?: string; key_name?: string };

/** The account's plan; only the query of somebody who asks for it returns it. */
type PlanRow = { plan_tier?: PlanTier | null };

/** A browser's session; only the query for a cookie returns it. */
type CookieRow = { session_id?: string; session_used_at?: string };

const USER = Object.keys(ctxUserColumns)
  .map((column) => `u.${column}`)
  .join(", ");

/** The use of a key, a cookie or a grant is recorded at most this often. */
const NOTED_EVERY_MS = 3_600_000;

type Question = { text: string; values: unknown[] };

/** Whether the account's sender is to be told of a change. */
const HAS_WEBHOOKS = `EXISTS (SELECT 1 FROM webhooks INDEXED BY webhooks_active_idx
  WHERE owner = u.number AND status = 'active')`;

const PLAN = ", (SELECT plan_tier FROM subscriptions WHERE owner = u.number) AS plan_tier";

/** Selects the user's columns, or aborts the batch. `refusal` is an SQL expression: a word of db/call.ts, or null. */
const admit = (columns: string, from: string, refusal: string) => (asksPlan: boolean) =>
  `SELECT ${USER}${columns}${asksPlan ? PLAN : ""}, ${HAS_WEBHOOKS} AS has_webhooks, json_extract('{}', coalesce(${refusal}, '$')) AS admitted FROM (SELECT 1) ${from}`;

/** The refusal for a caller who is not admitted, whose account may have been moved to another home. */
const nobody = (
  owner: string,
) => `CASE WHEN u.number IS NULL THEN coalesce((SELECT 'moved ' || m.home || ' ' || m.number
  FROM moves AS m WHERE m.owner = ${owner} AND m.state = 'left'), 'signed-out')`;

const SESSION = admit(
  "",
  `LEFT JOIN sessions AS s ON s.id = ?1 AND s.owner = ?2 AND s.revoked_at IS NULL AND s.expires_at > ?4
   LEFT JOIN users AS u ON u.number = s.owner AND u.id = ?3 AND u.deleted_at IS NULL AND u.closed_at IS NULL`,
  `${nobody("?2")} END`,
);

const COOKIE = admit(
  ", s.id AS session_id, s.last_used_at AS session_used_at",
  `LEFT JOIN sessions AS s ON s.cookie_hash = ?1 AND s.owner = ?2 AND s.revoked_at IS NULL AND s.expires_at > ?3
   LEFT JOIN users AS u ON u.number = s.owner AND u.id = coalesce(?4, u.id) AND u.deleted_at IS NULL AND u.closed_at IS NULL`,
  `${nobody("?2")} END`,
);

const GRANT = admit(
  "",
  "LEFT JOIN users AS u ON u.number = ?1 AND u.id = ?2 AND u.sign_in_epoch = ?3 AND u.deleted_at IS NULL AND u.closed_at IS NULL",
  `${nobody("?1")} END`,
);

const KEY = admit(
  ", k.scopes AS key_scopes, k.name AS key_name",
  `LEFT JOIN api_keys AS k ON k.hash = ?1 AND k.owner = ?2 AND (k.expires_at IS NULL OR k.expires_at > ?3)
   LEFT JOIN users AS u ON u.number = k.owner AND u.deleted_at IS NULL AND u.closed_at IS NULL`,
  `${nobody("?2")} ELSE 'lacks-scope ' || (SELECT group_concat(value, ' ')
    FROM json_each(?4) WHERE value NOT IN (SELECT value FROM json_each(k.scopes))) END`,
);

/** Records the use of a key, in the same call. */
const NOTE_USE = `UPDATE api_keys SET last_used_at = ?1
  WHERE hash = ?2 AND owner = ?3 AND coalesce(last_used_at, '') < ?4 AND ${unfencedText("?3")}`;

/** Records the use of a grant, in the same call. */
const NOTE_CALL = `INSERT INTO connection_uses (owner, grant_id, last_used_at)
  SELECT ?1, ?2, ?3 WHERE ${unfencedText("?1")}
  ON CONFLICT DO UPDATE SET last_used_at = excluded.last_used_at WHERE last_used_at < ?4`;

/** Extends the session of a cookie, in the same call. */
const EXTEND = `UPDATE sessions SET last_used_at = ?1, expires_at = ?2
  WHERE cookie_hash = ?3 AND owner = ?4 AND last_used_at < ?5 AND ${unfencedText("?4")}`;

const notedBefore = (now: Date) => new Date(now.getTime() - NOTED_EVERY_MS).toISOString();

type Asking = { now: Date; noteUse: boolean; asksPlan: boolean };

function questions(credential: Credential, { now, noteUse, asksPlan }: Asking): Question[] {
  const at = now.toISOString();
  const { owner } = credential;
  switch (credential.kind) {
    case "session":
      return [{ text: SESSION(asksPlan), values: [credential.session_id, owner, credential.user_id, at] }];
    case "cookie": {
      const { hash, user_id = null } = credential;
      const asked = { text: COOKIE(asksPlan), values: [hash, owner, at, user_id] };
      const extended = { text: EXTEND, values: [at, sessionEnd(now), hash, owner, notedBefore(now)] };
      return noteUse ? [asked, extended] : [asked];
    }
    case "grant": {
      const { user_id, epoch, grant_id } = credential;
      const asked = { text: GRANT(asksPlan), values: [owner, user_id, epoch] };
      if (grant_id === undefined) return [asked];
      return [asked, { text: NOTE_CALL, values: [owner, grant_id, at, notedBefore(now)] }];
    }
    case "key": {
      const { hash, needs } = credential;
      const asked = { text: KEY(asksPlan), values: [hash, owner, at, JSON.stringify(needs)] };
      return noteUse ? [asked, { text: NOTE_USE, values: [at, hash, owner, notedBefore(now)] }] : [asked];
    }
  }
}

type UserRow = Omit<CtxUser, "stale_after_days"> & { stale_after_days: string };
type Answer = UserRow & KeyRow & CookieRow & PlanRow & { admitted: null };

function userOf(answer: Answer): CtxUser {
  const {
    key_scopes: _,
    key_name: __,
    session_id: ___,
    session_used_at: ____,
    plan_tier: _____,
    admitted: ______,
    ...row
  } = answer;
  return { ...row, stale_after_days: JSON.parse(row.stale_after_days) as CtxUser["stale_after_days"] };
}

const MAX_SEEN = 1000;

/** By account, for statements that are sent before the database has told: see Ctx.lastSettings. */
const seen = remembering<string, DaySettings>(MAX_SEEN);

/** A Ctx with what only the first database call reveals: whether the caller is admitted, and what a key may do. */
export type CallerCtx = Ctx & {
  /** Throws 401 or 403 unless the caller is admitted. Queries the database if that has not happened yet. */
  admit: () => Promise<void>;
  /** A key's name and scopes; undefined for other credentials. Queries the database if that has not happened yet. */
  key: () => Promise<{ name: string; scopes: Access[] } | undefined>;
  /** The account's plan, if it was asked for and a call to the database has told it. */
  plan: () => PlanTier | undefined;
  /** Whether a call to the database has extended the session of a cookie. */
  isExtended: () => boolean;
};

/** Who acts with a credential. A grant is that of an MCP client, a cookie that of the web app. */
function actorOf(credential: Credential): Actor {
  switch (credential.kind) {
    case "grant":
      return { kind: "assistant", id: credential.grant_id, source_type: "mcp" };
    case "key":
      return { kind: "api_key", key_hash: credential.hash, source_type: "api" };
    case "cookie":
      return { kind: "person", source_type: "web" };
    case "session":
      return { kind: "person", source_type: "api" };
  }
}

/**
 * The context of a caller with this credential, in the credential's home.
 *
 * @param mayLag whether a replica may answer; the use of a key or a cookie is not recorded then
 * @param asksPlan whether the first call also reads the account's plan
 */
export function openCtx(
  base: BaseCtx,
  session: D1DatabaseSession,
  credential: Credential,
  { mayLag = false, asksPlan = false }: { mayLag?: boolean; asksPlan?: boolean } = {},
): CallerCtx {
  let row: Answer | undefined;
  let shown = credential;
  const noteUse = !mayLag;
  const asked = () => questions(shown, { now: base.now, noteUse, asksPlan });
  const escort: Escort = {
    statements: (to) => asked().map(({ text, values }) => to.prepare(text).bind(...values)),
    answered: ([first]) => {
      row = first as Answer;
      escort.admitted = true;
      const { timezone, stale_after_days } = userOf(row);
      seen.set(accountName(credential), { timezone, stale_after_days });
    },
    refused: (error) => {
      if (error instanceof Moved) rememberMove(credential, error.to);
    },
    admitted: false,
  };
  const db = openDatabase(session, escort);
  const answer = async (): Promise<Answer> => {
    // An empty batch sends only the escort.
    if (!row) await db.$client.batch([]);
    if (!row) throw unauthorized();
    return row;
  };
  const scopesOfKey = async () => JSON.parse((await answer()).key_scopes ?? "[]") as Access[];
  const keyNeeds = (more: readonly Access[]) => {
    if (row) throw new Error("What a key needs has been asked already");
    if (shown.kind === "key") shown = { ...shown, needs: [...shown.needs, ...more] };
  };
  return {
    ...base,
    db,
    ...(credential.kind === "key" && { keyScopes: scopesOfKey, keyNeeds }),
    owner: credential.owner,
    actor: actorOf(credential),
    user: async () => userOf(await answer()),
    sessionId: async () =>
      credential.kind === "session" ? credential.session_id : (await answer()).session_id,
    lastSettings: seen.get(accountName(credential)),
    admit: async () => {
      if (!escort.admitted) await answer();
    },
    plan: () => (asksPlan && row ? (row.plan_tier ?? "self_hosted") : undefined),
    isExtended: () => noteUse && (row?.session_used_at ?? "~") < notedBefore(base.now),
    key: async () => {
      const { key_name: name, key_scopes } = await answer();
      return name === undefined || key_scopes === undefined
        ? undefined
        : { name, scopes: JSON.parse(key_scopes) as Access[] };
    },
  };
}

/**
 * The number of a user, for tokens and grants of an older version, or the one that they had here; undefined when the
 * account no longer exists.
 */
export async function findOwner(base: BaseCtx, userId: string): Promise<number | undefined> {
  const [user] = await base.db.all<{ number: number }>(
    sql`SELECT number FROM users WHERE id = ${userId} AND deleted_at IS NULL AND closed_at IS NULL
      UNION ALL SELECT owner FROM moves WHERE user_id = ${userId} AND state = 'left'`,
  );
  return user?.number;
}
