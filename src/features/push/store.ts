import { desc, eq, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { nextInstantsAtHours } from "../../contract/days.ts";
import type { PushSubscribeRequest, PushSubscription, PushSubscriptionList } from "../../contract/push.ts";
import type { BaseCtx, Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound, unprocessable } from "../../platform/core/errors.ts";
import { push_keys, push_subscriptions } from "../../platform/db/tables.ts";
import { addressProblem } from "../../platform/http/outbound.ts";
import { isPublicKey, newVapidKeys, type VapidKeys } from "./keys.ts";

/** The default hour of the daily notification, in the account's time zone. */
export const DEFAULT_PUSH_HOUR = 8;

const MAX_SUBSCRIPTIONS = 20;

/** A subscription ends with its session, so that signing out ends it too. */
const isLive = (ctx: BaseCtx) => sql`EXISTS (SELECT 1 FROM sessions AS s
  WHERE s.id = push_subscriptions.session_id AND s.owner = push_subscriptions.owner AND s.revoked_at IS NULL
    AND s.expires_at > ${ctx.now.toISOString()})`;

const ownedBy = (ctx: Ctx) => sql`push_subscriptions.owner = ${ctx.owner} AND ${isLive(ctx)}`;

export const hasSubscriptions = (ctx: Ctx) =>
  sql`EXISTS (SELECT 1 FROM push_subscriptions WHERE ${ownedBy(ctx)})`;

export async function readVapidKeys(ctx: BaseCtx): Promise<VapidKeys> {
  const read = () => ctx.db.select().from(push_keys);
  const [stored] = await read();
  if (stored) return stored;
  const { public_key, private_key } = await newVapidKeys();
  const [, [first]] = await ctx.db.batch([
    ctx.db.run(sql`INSERT OR IGNORE INTO push_keys (id, public_key, private_key, created_at)
      VALUES (1, ${public_key}, ${private_key}, ${ctx.now.toISOString()})`),
    read(),
  ]);
  if (!first) throw new Error("The push key was not stored");
  return first;
}

export async function listSubscriptions(ctx: Ctx): Promise<PushSubscriptionList> {
  const { public_key } = await readVapidKeys(ctx);
  const items = await ctx.db.all<PushSubscription>(sql`
    SELECT id, endpoint, created_at FROM push_subscriptions WHERE ${ownedBy(ctx)} ORDER BY id DESC`);
  return { public_key, items };
}

/** A browser has one subscription, of the account that subscribed last. Throws 422 for a bad URL or key, 400 for too many. */
export async function subscribe(ctx: Ctx, input: PushSubscribeRequest): Promise<PushSubscription> {
  const { endpoint, keys } = input;
  const problem = addressProblem(new URL(endpoint), "public");
  if (problem) throw unprocessable(`endpoint: ${problem}`);
  if (!(await isPublicKey(keys.p256dh)))
    throw unprocessable(
      "keys.p256dh: must be a point of the curve P-256, as PushSubscription.toJSON() gives it",
    );
  const { timezone } = await ctx.user();
  const times = nextInstantsAtHours({ now: ctx.now, timezone });
  const [, [row]] = await ctx.db.batch([
    ctx.db.run(sql`DELETE FROM push_subscriptions WHERE owner = ${ctx.owner} AND NOT ${isLive(ctx)}`),
    ctx.db.returning<PushSubscription>(sql`
      INSERT INTO push_subscriptions (id, owner, session_id, endpoint, p256dh, auth, created_at)
      SELECT ${uuid()}, ${ctx.owner}, ${(await ctx.sessionId()) ?? ""}, ${endpoint}, ${keys.p256dh}, ${keys.auth},
        ${ctx.now.toISOString()}
      WHERE (SELECT count(*) FROM push_subscriptions WHERE owner = ${ctx.owner} AND endpoint <> ${endpoint})
        < ${MAX_SUBSCRIPTIONS}
      ON CONFLICT (endpoint) DO UPDATE SET owner = excluded.owner, session_id = excluded.session_id,
        p256dh = excluded.p256dh, auth = excluded.auth
      RETURNING id, endpoint, created_at`),
    ctx.db.run(sql`
      INSERT INTO reminders (owner, push_hour, push_at) VALUES (${ctx.owner}, ${DEFAULT_PUSH_HOUR}, ${times[DEFAULT_PUSH_HOUR]})
      ON CONFLICT (owner) DO UPDATE SET push_at = coalesce(push_at, ${JSON.stringify(times)} ->> push_hour)`),
  ]);
  if (!row) throw badRequest(`There are already ${MAX_SUBSCRIPTIONS} subscriptions: remove one first`);
  return row;
}

export async function unsubscribe(ctx: Ctx, id: string): Promise<void> {
  const deleted = await ctx.db.returning(
    sql`DELETE FROM push_subscriptions WHERE id = ${id} AND owner = ${ctx.owner} RETURNING id`,
  );
  if (deleted.length === 0) throw notFound();
}

export type StoredSubscription = typeof push_subscriptions.$inferSelect;

export const listStoredSubscriptions = (ctx: Ctx): Promise<StoredSubscription[]> =>
  ctx.db.select().from(push_subscriptions).where(ownedBy(ctx)).orderBy(desc(push_subscriptions.id));

export async function deleteSubscription(ctx: Ctx, { id }: StoredSubscription): Promise<void> {
  await ctx.db.delete(push_subscriptions).where(eq(push_subscriptions.id, id));
}

/** Deletes subscriptions whose session has ended, and clears the next push time if none is left. */
export async function deleteEndedSubscriptions(ctx: Ctx): Promise<void> {
  await ctx.db.batch([
    ctx.db.run(sql`DELETE FROM push_subscriptions WHERE owner = ${ctx.owner} AND NOT ${isLive(ctx)}`),
    ctx.db.run(sql`UPDATE reminders SET push_at = NULL WHERE owner = ${ctx.owner}
      AND NOT EXISTS (SELECT 1 FROM push_subscriptions AS p WHERE p.owner = reminders.owner)`),
  ]);
}
