import { sql } from "drizzle-orm";
import { type Access, BRIEFING_SCOPE, type KeyScope } from "../../contract/access.ts";
import type { PlanTier } from "../../contract/billing.ts";
import { pickFields } from "../../contract/field-spec.ts";
import { globalAccountId } from "../../contract/shard.ts";
import { AccountMovedError, rememberMigration } from "../../platform/core/account-location.ts";
import type { Actor, BaseCtx, Ctx, CtxUser, DaySettings } from "../../platform/core/ctx.ts";
import { isDiskFull } from "../../platform/core/disk.ts";
import { unauthorized } from "../../platform/core/errors.ts";
import { createRecentMap } from "../../platform/core/recent-map.ts";
import { type CallerCheck, openDatabase } from "../../platform/db/call.ts";
import { notFencedText } from "../../platform/db/fence.ts";
import { ctxUserColumns } from "../../platform/db/user-columns.ts";
import { sessionExpiry } from "./session.ts";

// Authenticates in the request's first database call: the check runs first, and an invalid credential rolls the call back.

/** A caller's credential with its shard and owner: an access token, a session cookie, an API key or an MCP grant. */
export type Credential = { shard: number; owner: number } & (
  | { kind: "session"; user_id: string; session_id: string }
  | { kind: "cookie"; hash: string; user_id?: string | undefined }
  | { kind: "key"; hash: string; needs: readonly KeyScope[] }
  | { kind: "grant"; user_id: string; epoch: number; grant_id?: string | undefined }
);

type Grant = Extract<Credential, { kind: "grant" }>;

/** From the signed link of a reminder, which works without a session. No other request accepts it. */
export type ReminderCredential = Omit<Grant, "kind" | "grant_id"> & { kind: "reminder" };

type AnyCredential = Credential | ReminderCredential;

const USER_COLUMNS = Object.keys(ctxUserColumns) as (keyof typeof ctxUserColumns)[];
const USER = USER_COLUMNS.map((column) => `u.${column}`).join(", ");

const USE_RECORDED_EVERY_MS = 3_600_000;

const HAS_WEBHOOKS = `EXISTS (SELECT 1 FROM webhooks INDEXED BY webhooks_active_idx
  WHERE owner = u.number AND status = 'active')`;

const PLAN = ", (SELECT plan_tier FROM subscriptions WHERE owner = u.number) AS plan_tier";

/** Selects the user's columns, or aborts the batch. `refusal`: SQL for a word of platform/db/call.ts, or null. */
const checkQuery = (columns: string, from: string, refusal: string) => (asksPlan: boolean) =>
  `SELECT ${USER}${columns}${asksPlan ? PLAN : ""}, ${HAS_WEBHOOKS} AS has_webhooks, json_extract('{}', coalesce(${refusal}, '$')) AS admitted FROM (SELECT 1) ${from}`;

const signedOutCase = (
  owner: string,
) => `CASE WHEN u.number IS NULL THEN coalesce((SELECT 'moved ' || m.home || ' ' || m.number
  FROM moves AS m WHERE m.owner = ${owner} AND m.state = 'left'), 'signed-out')`;

const SESSION_CHECK = checkQuery(
  "",
  `LEFT JOIN sessions AS s ON s.id = ?1 AND s.owner = ?2 AND s.revoked_at IS NULL AND s.expires_at > ?4
   LEFT JOIN users AS u ON u.number = s.owner AND u.id = ?3 AND u.deleted_at IS NULL AND u.closed_at IS NULL`,
  `${signedOutCase("?2")} END`,
);

const COOKIE_CHECK = checkQuery(
  ", s.id AS session_id, s.last_used_at AS session_used_at",
  `LEFT JOIN sessions AS s ON s.cookie_hash = ?1 AND s.owner = ?2 AND s.revoked_at IS NULL AND s.expires_at > ?3
   LEFT JOIN users AS u ON u.number = s.owner AND u.id = coalesce(?4, u.id) AND u.deleted_at IS NULL AND u.closed_at IS NULL`,
  `${signedOutCase("?2")} END`,
);

const GRANT_CHECK = checkQuery(
  "",
  "LEFT JOIN users AS u ON u.number = ?1 AND u.id = ?2 AND u.sign_in_epoch = ?3 AND u.deleted_at IS NULL AND u.closed_at IS NULL",
  `${signedOutCase("?1")} END`,
);

const KEY_CHECK = checkQuery(
  ", k.scopes AS key_scopes, k.name AS key_name",
  `LEFT JOIN api_keys AS k ON k.hash = ?1 AND k.owner = ?2 AND (k.expires_at IS NULL OR k.expires_at > ?3)
   LEFT JOIN users AS u ON u.number = k.owner AND u.deleted_at IS NULL AND u.closed_at IS NULL`,
  `${signedOutCase("?2")} WHEN ?4 = '[]' AND k.scopes = '["${BRIEFING_SCOPE}"]' THEN 'lacks-scope docs:read or memory:read'
    ELSE 'lacks-scope ' || (SELECT group_concat(value, ' ') FROM json_each(?4) WHERE value NOT IN (
      SELECT value FROM json_each(k.scopes)
      UNION ALL SELECT '${BRIEFING_SCOPE}' FROM json_each(k.scopes) WHERE value = 'memory:read')) END`,
);

const RECORD_KEY_USE = `UPDATE api_keys SET last_used_at = ?1
  WHERE hash = ?2 AND owner = ?3 AND coalesce(last_used_at, '') < ?4 AND ${notFencedText("?3")}`;

const RECORD_CONNECTION_USE = `INSERT INTO connection_uses (owner, grant_id, last_used_at)
  SELECT ?1, ?2, ?3 WHERE ${notFencedText("?1")}
  ON CONFLICT DO UPDATE SET last_used_at = excluded.last_used_at WHERE last_used_at < ?4`;

const EXTEND_SESSION = `UPDATE sessions SET last_used_at = ?1, expires_at = ?2
  WHERE cookie_hash = ?3 AND owner = ?4 AND last_used_at < ?5 AND ${notFencedText("?4")}`;

const MAX_REMEMBERED = 1000;

/** When this isolate last recorded the use of each connection. Skips statements that would change nothing. */
const recordedUses = createRecentMap<string, number>(MAX_REMEMBERED);

const connectionKey = (grant: Grant): string => `${globalAccountId(grant)}:${grant.grant_id}`;

const shouldRecordUse = (grant: Grant, now: Date): boolean =>
  grant.grant_id !== undefined &&
  !isDiskFull() &&
  now.getTime() - (recordedUses.get(connectionKey(grant)) ?? 0) >= USE_RECORDED_EVERY_MS;

const recordedBefore = (now: Date) => new Date(now.getTime() - USE_RECORDED_EVERY_MS).toISOString();

type CheckOptions = { now: Date; recordUse: boolean; asksPlan: boolean };

function checkStatements(
  credential: AnyCredential,
  { now, recordUse, asksPlan }: CheckOptions,
): { text: string; values: unknown[] }[] {
  const at = now.toISOString();
  const { owner } = credential;
  const statement = (text: string, ...values: unknown[]) => ({ text, values });
  switch (credential.kind) {
    case "session": {
      const { session_id, user_id } = credential;
      return [statement(SESSION_CHECK(asksPlan), session_id, owner, user_id, at)];
    }
    case "cookie": {
      const { hash, user_id = null } = credential;
      const check = statement(COOKIE_CHECK(asksPlan), hash, owner, at, user_id);
      const extend = statement(EXTEND_SESSION, at, sessionExpiry(now), hash, owner, recordedBefore(now));
      return recordUse ? [check, extend] : [check];
    }
    case "grant": {
      const { user_id, epoch, grant_id } = credential;
      const check = statement(GRANT_CHECK(asksPlan), owner, user_id, epoch);
      const record = statement(RECORD_CONNECTION_USE, owner, grant_id, at, recordedBefore(now));
      return shouldRecordUse(credential, now) ? [check, record] : [check];
    }
    case "reminder":
      return [statement(GRANT_CHECK(asksPlan), owner, credential.user_id, credential.epoch)];
    case "key": {
      const { hash, needs } = credential;
      const check = statement(KEY_CHECK(asksPlan), hash, owner, at, JSON.stringify(needs));
      const record = statement(RECORD_KEY_USE, at, hash, owner, recordedBefore(now));
      return recordUse ? [check, record] : [check];
    }
  }
}

/** A row of the check. Which columns it has besides the user's depends on the credential. */
type CallerRow = Omit<CtxUser, "stale_after_days"> & {
  stale_after_days: string;
  key_scopes?: string;
  key_name?: string;
  session_id?: string;
  session_used_at?: string;
  plan_tier?: PlanTier | null;
  admitted: null;
};

function userOf(row: CallerRow): CtxUser {
  const stale_after_days = JSON.parse(row.stale_after_days) as CtxUser["stale_after_days"];
  return { ...pickFields(row, [...USER_COLUMNS, "has_webhooks"]), stale_after_days };
}

/** Last known settings by account: see Ctx.lastSettings. */
const knownSettings = createRecentMap<string, DaySettings>(MAX_REMEMBERED);

/** Hashes of keys and cookies that the database has confirmed. */
const confirmedHashes = createRecentMap<string, true>(MAX_REMEMBERED);

/** The account once verified, until then the credential, so that a forged one cannot fill the account's queue. */
const queueKey = (credential: AnyCredential): string =>
  "hash" in credential && !confirmedHashes.get(credential.hash)
    ? `${credential.kind}:${credential.hash}`
    : globalAccountId(credential);

export type CallerCtx = Ctx & {
  /** Throws 401 or 403 unless the credential is valid. Queries the database if it was not checked yet. */
  admit: () => Promise<void>;
  /** A key's name and scopes; undefined for other credentials. Queries the database if it was not checked yet. */
  key: () => Promise<{ name: string; scopes: KeyScope[] } | undefined>;
  /** Undefined unless `asksPlan` was set and the credential was checked. */
  plan: () => PlanTier | undefined;
  /** Whether this request extended the session of the cookie. */
  isSessionExtended: () => boolean;
};

function actorOf(credential: AnyCredential): Actor {
  if (credential.kind === "grant") return { kind: "assistant", id: credential.grant_id, source_type: "mcp" };
  if (credential.kind === "key") return { kind: "api_key", key_hash: credential.hash, source_type: "api" };
  return { kind: "person", source_type: credential.kind === "session" ? "api" : "web" };
}

type CredentialCheck = CallerCheck & { credential: AnyCredential; row?: CallerRow };

/** The check that runs before the first call's statements. This isolate remembers its results. */
function newCheck(credential: AnyCredential, options: CheckOptions): CredentialCheck {
  const check: CredentialCheck = {
    credential,
    statements: (to) =>
      checkStatements(check.credential, options).map(({ text, values }) => to.prepare(text).bind(...values)),
    onAnswer: ([first]) => {
      check.row = first as CallerRow;
      check.isAdmitted = true;
      const { timezone, stale_after_days } = userOf(check.row);
      knownSettings.set(globalAccountId(credential), { timezone, stale_after_days });
      if ("hash" in credential) confirmedHashes.set(credential.hash, true);
      if (credential.kind === "grant" && shouldRecordUse(credential, options.now))
        recordedUses.set(connectionKey(credential), options.now.getTime());
    },
    onRefusal: (error) => {
      if (error instanceof AccountMovedError) rememberMigration(credential, error.location);
    },
    isAdmitted: false,
    isOutcomeUnknown: false,
  };
  return check;
}

const keyScopeMethods = (
  check: CredentialCheck,
  readRow: () => Promise<CallerRow>,
): Pick<Ctx, "keyScopes" | "requireKeyScopes"> => ({
  keyScopes: async () => JSON.parse((await readRow()).key_scopes ?? "[]") as KeyScope[],
  requireKeyScopes: (more: readonly Access[]) => {
    const { row, credential } = check;
    if (row) throw new Error("Set the required scopes before the first database call");
    if (credential.kind === "key")
      check.credential = { ...credential, needs: [...credential.needs, ...more] };
  },
});

/** The caller's context. `mayLag`: a replica may answer, so use is not recorded. `asksPlan`: also reads the plan. */
export function openCtx(
  base: BaseCtx,
  session: D1DatabaseSession,
  credential: AnyCredential,
  { mayLag = false, asksPlan = false }: { mayLag?: boolean; asksPlan?: boolean } = {},
): CallerCtx {
  const recordUse = !mayLag && !isDiskFull();
  const check = newCheck(credential, { now: base.now, recordUse, asksPlan });
  const db = openDatabase(session, check);
  const readRow = async (): Promise<CallerRow> => {
    // An empty batch sends only the check.
    if (!check.row) await db.batch([]);
    if (!check.row) throw unauthorized();
    return check.row;
  };
  return {
    ...base,
    db,
    ...(credential.kind === "key" && keyScopeMethods(check, readRow)),
    owner: credential.owner,
    reminds: {},
    actor: actorOf(credential),
    queue_key: queueKey(credential),
    user: async () => userOf(await readRow()),
    sessionId: async () =>
      credential.kind === "session" ? credential.session_id : (await readRow()).session_id,
    lastSettings: knownSettings.get(globalAccountId(credential)),
    admit: async () => {
      // After a call with an unknown outcome, report that rather than a session that has ended since.
      if (!check.isAdmitted && !check.isOutcomeUnknown) await readRow();
    },
    plan: () => (asksPlan && check.row ? (check.row.plan_tier ?? "self_hosted") : undefined),
    isSessionExtended: () => recordUse && (check.row?.session_used_at ?? "~") < recordedBefore(base.now),
    key: async () => {
      const { key_name: name, key_scopes } = await readRow();
      return name === undefined || key_scopes === undefined
        ? undefined
        : { name, scopes: JSON.parse(key_scopes) as KeyScope[] };
    },
  };
}

/** Whether a connection is still valid: a new sign-in epoch, or closing or deleting the account, ends it. */
export async function isConnectionValid(
  base: BaseCtx,
  { owner, user_id, epoch }: Pick<Grant, "owner" | "user_id" | "epoch">,
): Promise<boolean> {
  const found = await base.db.all(sql`SELECT 1 FROM users WHERE number = ${owner} AND id = ${user_id}
    AND sign_in_epoch = ${epoch} AND deleted_at IS NULL AND closed_at IS NULL`);
  return found.length > 0;
}

/** The user's number, for tokens and grants of older versions; undefined if the account no longer exists. */
export async function findOwnerNumber(base: BaseCtx, userId: string): Promise<number | undefined> {
  const [user] = await base.db.all<{ number: number }>(
    sql`SELECT number FROM users WHERE id = ${userId} AND deleted_at IS NULL AND closed_at IS NULL
      UNION ALL SELECT owner FROM moves WHERE user_id = ${userId} AND state = 'left'`,
  );
  return user?.number;
}
