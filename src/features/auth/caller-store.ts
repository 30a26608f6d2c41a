import { sql } from "drizzle-orm";
import { type Access, BRIEFING, type KeyScope } from "../../contract/access.ts";
import type { PlanTier } from "../../contract/billing.ts";
import { accountName } from "../../contract/home.ts";
import type { Actor, BaseCtx, Ctx, CtxUser, DaySettings } from "../../platform/core/ctx.ts";
import { isDiskFull } from "../../platform/core/disk.ts";
import { unauthorized } from "../../platform/core/errors.ts";
import { Moved, rememberMove } from "../../platform/core/moved.ts";
import { remembering } from "../../platform/core/recent.ts";
import { type CallerCheck, openDatabase } from "../../platform/db/call.ts";
import { unfencedText } from "../../platform/db/fence.ts";
import { ctxUserColumns } from "../../platform/db/user-columns.ts";
import { sessionEnd } from "./session.ts";

// Authenticates in the request's first call: this statement runs in front and rolls back if the credential is invalid.

/** A caller's credential, with the home and the number of its user: a token with a valid signature, a session cookie, a key, or a grant of an MCP client. */
export type Credential = { home: number; owner: number } & (
  | { kind: "session"; user_id: string; session_id: string }
  | { kind: "cookie"; hash: string; user_id?: string | undefined }
  | { kind: "key"; hash: string; needs: readonly KeyScope[] }
  | { kind: "grant"; user_id: string; epoch: number; grant_id?: string | undefined }
);

/** What a reminder can do with nobody signed in: no request that a credential admits takes it. */
type Reminder = { home: number; owner: number; kind: "reminder"; user_id: string; epoch: number };

type Admitted = Credential | Reminder;

type KeyRow = { key_scopes?: string; key_name?: string };

type PlanRow = { plan_tier?: PlanTier | null };

type CookieRow = { session_id?: string; session_used_at?: string };

const USER = Object.keys(ctxUserColumns)
  .map((column) => `u.${column}`)
  .join(", ");

/** The use of a key, a cookie or a grant is recorded at most this often. */
const NOTED_EVERY_MS = 3_600_000;

type Question = { text: string; values: unknown[] };

const HAS_WEBHOOKS = `EXISTS (SELECT 1 FROM webhooks INDEXED BY webhooks_active_idx
  WHERE owner = u.number AND status = 'active')`;

const PLAN = ", (SELECT plan_tier FROM subscriptions WHERE owner = u.number) AS plan_tier";

/** Selects the user's columns, or aborts the batch. `refusal` is an SQL expression: a word of platform/db/call.ts, or null. */
const admit = (columns: string, from: string, refusal: string) => (asksPlan: boolean) =>
  `SELECT ${USER}${columns}${asksPlan ? PLAN : ""}, ${HAS_WEBHOOKS} AS has_webhooks, json_extract('{}', coalesce(${refusal}, '$')) AS admitted FROM (SELECT 1) ${from}`;

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
  `${nobody("?2")} WHEN ?4 = '[]' AND k.scopes = '["${BRIEFING}"]' THEN 'lacks-scope docs:read or memory:read'
    ELSE 'lacks-scope ' || (SELECT group_concat(value, ' ') FROM json_each(?4) WHERE value NOT IN (
      SELECT value FROM json_each(k.scopes)
      UNION ALL SELECT '${BRIEFING}' FROM json_each(k.scopes) WHERE value = 'memory:read')) END`,
);

const NOTE_USE = `UPDATE api_keys SET last_used_at = ?1
  WHERE hash = ?2 AND owner = ?3 AND coalesce(last_used_at, '') < ?4 AND ${unfencedText("?3")}`;

const NOTE_CALL = `INSERT INTO connection_uses (owner, grant_id, last_used_at)
  SELECT ?1, ?2, ?3 WHERE ${unfencedText("?1")}
  ON CONFLICT DO UPDATE SET last_used_at = excluded.last_used_at WHERE last_used_at < ?4`;

const EXTEND = `UPDATE sessions SET last_used_at = ?1, expires_at = ?2
  WHERE cookie_hash = ?3 AND owner = ?4 AND last_used_at < ?5 AND ${unfencedText("?4")}`;

const MAX_SEEN = 1000;

/** When this isolate last noted the use of a connection. It need not ask again: to change nothing takes as long as a read. */
const noted = remembering<string, number>(MAX_SEEN);

type Grant = Extract<Credential, { kind: "grant" }>;

const connectionOf = (grant: Grant): string => `${accountName(grant)}:${grant.grant_id}`;

const isNoted = (grant: Grant, now: Date): boolean =>
  now.getTime() - (noted.get(connectionOf(grant)) ?? 0) < NOTED_EVERY_MS;

const notesUse = (grant: Grant, now: Date): boolean =>
  grant.grant_id !== undefined && !isDiskFull() && !isNoted(grant, now);

const notedBefore = (now: Date) => new Date(now.getTime() - NOTED_EVERY_MS).toISOString();

type Asking = { now: Date; noteUse: boolean; asksPlan: boolean };

function questions(credential: Admitted, { now, noteUse, asksPlan }: Asking): Question[] {
  const at = now.toISOString();
  const { owner } = credential;
  switch (credential.kind) {
    case "session":
      return [{ text: SESSION(asksPlan), values: [credential.session_id, owner, credential.user_id, at] }];
    case "cookie": {
      const { hash, user_id = null } = credential;
      const admission = { text: COOKIE(asksPlan), values: [hash, owner, at, user_id] };
      const extended = { text: EXTEND, values: [at, sessionEnd(now), hash, owner, notedBefore(now)] };
      return noteUse ? [admission, extended] : [admission];
    }
    case "grant": {
      const { user_id, epoch, grant_id } = credential;
      const admission = { text: GRANT(asksPlan), values: [owner, user_id, epoch] };
      if (!notesUse(credential, now)) return [admission];
      return [admission, { text: NOTE_CALL, values: [owner, grant_id, at, notedBefore(now)] }];
    }
    case "reminder":
      return [{ text: GRANT(asksPlan), values: [owner, credential.user_id, credential.epoch] }];
    case "key": {
      const { hash, needs } = credential;
      const admission = { text: KEY(asksPlan), values: [hash, owner, at, JSON.stringify(needs)] };
      return noteUse
        ? [admission, { text: NOTE_USE, values: [at, hash, owner, notedBefore(now)] }]
        : [admission];
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

/** By account, for statements that are sent before the database has told: see Ctx.lastSettings. */
const seen = remembering<string, DaySettings>(MAX_SEEN);

const admitted = remembering<string, true>(MAX_SEEN);

/** Whose work waits for whose: a key or cookie not checked yet names any account, so it must not take its turns. */
const waitsAs = (credential: Admitted): string =>
  "hash" in credential && !admitted.get(credential.hash)
    ? `${credential.kind}:${credential.hash}`
    : accountName(credential);

export type CallerCtx = Ctx & {
  /** Throws 401 or 403 unless the caller is admitted. Queries the database if that has not happened yet. */
  admit: () => Promise<void>;
  /** A key's name and scopes; undefined for other credentials. Queries the database if that has not happened yet. */
  key: () => Promise<{ name: string; scopes: KeyScope[] } | undefined>;
  plan: () => PlanTier | undefined;
  isExtended: () => boolean;
};

function actorOf(credential: Admitted): Actor {
  switch (credential.kind) {
    case "grant":
      return { kind: "assistant", id: credential.grant_id, source_type: "mcp" };
    case "key":
      return { kind: "api_key", key_hash: credential.hash, source_type: "api" };
    case "cookie":
      return { kind: "person", source_type: "web" };
    case "session":
      return { kind: "person", source_type: "api" };
    case "reminder":
      return { kind: "person", source_type: "web" };
  }
}

type Check = CallerCheck & { credential: Admitted; row?: Answer };

/** The check that runs in front of the first call, and remembers in this isolate what it learns. */
function checkOf(credential: Admitted, asking: Asking): Check {
  const check: Check = {
    credential,
    statements: (to) =>
      questions(check.credential, asking).map(({ text, values }) => to.prepare(text).bind(...values)),
    answered: ([first]) => {
      check.row = first as Answer;
      check.admitted = true;
      const { timezone, stale_after_days } = userOf(check.row);
      seen.set(accountName(credential), { timezone, stale_after_days });
      if ("hash" in credential) admitted.set(credential.hash, true);
      if (credential.kind === "grant" && notesUse(credential, asking.now))
        noted.set(connectionOf(credential), asking.now.getTime());
    },
    refused: (error) => {
      if (error instanceof Moved) rememberMove(credential, error.to);
    },
    admitted: false,
    isLost: false,
  };
  return check;
}

const keyRights = (check: Check, answer: () => Promise<Answer>) => ({
  keyScopes: async () => JSON.parse((await answer()).key_scopes ?? "[]") as KeyScope[],
  keyNeeds: (more: readonly Access[]) => {
    const { row, credential } = check;
    if (row) throw new Error("What a key needs has been asked already");
    if (credential.kind === "key")
      check.credential = { ...credential, needs: [...credential.needs, ...more] };
  },
});

/** The caller's context. `mayLag`: a replica may answer, and use is not recorded, as on a full disk. `asksPlan`: also reads the plan. */
export function openCtx(
  base: BaseCtx,
  session: D1DatabaseSession,
  credential: Admitted,
  { mayLag = false, asksPlan = false }: { mayLag?: boolean; asksPlan?: boolean } = {},
): CallerCtx {
  const noteUse = !mayLag && !isDiskFull();
  const check = checkOf(credential, { now: base.now, noteUse, asksPlan });
  const db = openDatabase(session, check);
  const answer = async (): Promise<Answer> => {
    // An empty batch sends only the check.
    if (!check.row) await db.$client.batch([]);
    if (!check.row) throw unauthorized();
    return check.row;
  };
  return {
    ...base,
    db,
    ...(credential.kind === "key" && keyRights(check, answer)),
    owner: credential.owner,
    reminds: {},
    actor: actorOf(credential),
    waits_as: waitsAs(credential),
    user: async () => userOf(await answer()),
    sessionId: async () =>
      credential.kind === "session" ? credential.session_id : (await answer()).session_id,
    lastSettings: seen.get(accountName(credential)),
    admit: async () => {
      // Whoever made a lost call is told of that, not of what has happened to their session meanwhile.
      if (!check.admitted && !check.isLost) await answer();
    },
    plan: () => (asksPlan && check.row ? (check.row.plan_tier ?? "self_hosted") : undefined),
    isExtended: () => noteUse && (check.row?.session_used_at ?? "~") < notedBefore(base.now),
    key: async () => {
      const { key_name: name, key_scopes } = await answer();
      return name === undefined || key_scopes === undefined
        ? undefined
        : { name, scopes: JSON.parse(key_scopes) as KeyScope[] };
    },
  };
}

/** Whether a connection still belongs to an account: it ends with a new password, and when its account is closed. */
export async function isConnected(
  base: BaseCtx,
  { owner, user_id, epoch }: { owner: number; user_id: string; epoch: number },
): Promise<boolean> {
  const found = await base.db.all(sql`SELECT 1 FROM users WHERE number = ${owner} AND id = ${user_id}
    AND sign_in_epoch = ${epoch} AND deleted_at IS NULL AND closed_at IS NULL`);
  return found.length > 0;
}

/** The user's number, for tokens and grants of an older version; undefined when the account no longer exists. */
export async function findOwner(base: BaseCtx, userId: string): Promise<number | undefined> {
  const [user] = await base.db.all<{ number: number }>(
    sql`SELECT number FROM users WHERE id = ${userId} AND deleted_at IS NULL AND closed_at IS NULL
      UNION ALL SELECT owner FROM moves WHERE user_id = ${userId} AND state = 'left'`,
  );
  return user?.number;
}
