import { and, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { Timestamp, Uuid } from "../../contract/fields.ts";
import { omit, omitUndefined } from "../../contract/omit.ts";
import { WEBHOOK_TEST_EVENT } from "../../contract/webhook-events.ts";
import type {
  DeliveryListQuery,
  NewWebhook,
  NewWebhookSecret,
  Webhook,
  WebhookCreateRequest,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookUpdateRequest,
} from "../../contract/webhooks.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound, unprocessable } from "../../platform/core/errors.ts";
import { cutPage, type Keyset, readKeysetPosition } from "../../platform/db/keyset.ts";
import { webhook_deliveries, webhooks } from "../../platform/db/tables.ts";
import { type AddressPolicy, addressProblem } from "../../platform/http/outbound.ts";
import { latestActivityNumber } from "./activity-store.ts";
import { lastAnnouncedDay } from "./announced-day.ts";
import { DIRECT_ATTEMPT_MS } from "./retry-schedule.ts";
import { newSigningSecret } from "./signature.ts";

const MAX_WEBHOOKS = 10;
/** How long messages are also signed with the previous secret. */
const OVERLAP_MS = 86_400_000;

const columns = {
  id: webhooks.id,
  name: webhooks.name,
  url: webhooks.url,
  events: webhooks.events,
  include_content: webhooks.include_content,
  status: webhooks.status,
  notice: webhooks.notice,
  failures: webhooks.failures,
  last_delivered_at: webhooks.last_delivered_at,
  created_at: webhooks.created_at,
  updated_at: webhooks.updated_at,
};

const deliveryColumns = omit(getTableColumns(webhook_deliveries), "owner", "webhook_id");

const ownedBy = (ctx: Ctx) => eq(webhooks.owner, ctx.owner);
const ownedById = (ctx: Ctx, id: string) => and(eq(webhooks.id, id), ownedBy(ctx));

function checkUrl(url: string | undefined, reach: AddressPolicy): void {
  const problem = url && addressProblem(new URL(url), reach);
  if (problem) throw unprocessable(`url: ${problem}`);
}

/** Returns the secret, which is shown only once. Throws 422 for a URL that must not be called, 400 for too many. */
export async function createWebhook(
  ctx: Ctx,
  input: WebhookCreateRequest,
  reach: AddressPolicy,
): Promise<NewWebhook> {
  checkUrl(input.url, reach);
  const now = ctx.now.toISOString();
  const secret = newSigningSecret();
  const row: Webhook = {
    id: uuid(),
    ...input,
    status: "active",
    notice: null,
    failures: 0,
    last_delivered_at: null,
    created_at: now,
    updated_at: now,
  };
  const { due_day, due_at } = lastAnnouncedDay({ now: ctx.now, timezone: (await ctx.user()).timezone });
  const inserted = await ctx.db.returning(sql`
    INSERT INTO webhooks (id, owner, name, url, events, include_content, status, secret, cursor, due_day, due_at,
      failures, created_at, updated_at)
    SELECT ${row.id}, ${ctx.owner}, ${row.name}, ${row.url}, ${JSON.stringify(row.events)}, ${row.include_content},
      'active', ${secret}, ${latestActivityNumber(ctx)}, ${due_day}, ${due_at}, 0, ${now}, ${now}
    WHERE (SELECT count(*) FROM webhooks WHERE owner = ${ctx.owner}) < ${MAX_WEBHOOKS} RETURNING id`);
  if (inserted.length === 0)
    throw badRequest(`There are already ${MAX_WEBHOOKS} webhooks: delete or change one`);
  return { ...row, secret };
}

export async function listWebhooks(ctx: Ctx, page: { limit: number; offset: number }): Promise<WebhookList> {
  const [items, [total]] = await ctx.db.batch([
    ctx.db
      .select(columns)
      .from(webhooks)
      .where(ownedBy(ctx))
      .orderBy(desc(webhooks.id))
      .limit(page.limit)
      .offset(page.offset),
    ctx.db.select({ count: sql<number>`count(*)` }).from(webhooks).where(ownedBy(ctx)),
  ]);
  return { items: items as Webhook[], total: total?.count ?? 0 };
}

export async function getWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  const [webhook] = await ctx.db.select(columns).from(webhooks).where(ownedById(ctx, id));
  if (!webhook) throw notFound();
  return webhook as Webhook;
}

/** The columns that `paused` changes. Reactivating a webhook resets its failures. */
function pausedColumns(paused: boolean | undefined) {
  if (paused === undefined) return {};
  return paused
    ? { status: sql`iif(${webhooks.status} = 'active', 'paused', ${webhooks.status})` }
    : { status: "active" as const, notice: null, failures: 0, resume_at: null };
}

/** The columns that a new URL changes: it resets the failures. */
function urlColumns(url: string | undefined) {
  if (url === undefined) return {};
  const isSame = sql`${webhooks.url} = ${url}`;
  return {
    failures: sql`iif(${isSame}, ${webhooks.failures}, 0)`,
    resume_at: sql`iif(${isSame}, ${webhooks.resume_at}, NULL)`,
  };
}

function isUnchanged({ paused, ...fields }: WebhookUpdateRequest): SQL {
  const names = Object.keys(omitUndefined(fields)) as (keyof typeof fields)[];
  const same = names.map((name) => sql`${webhooks[name]} IS ${sql.param(fields[name], webhooks[name])}`);
  const state = paused === undefined ? [] : [sql`(${webhooks.status} <> 'active') = ${paused}`];
  return sql.join([sql`true`, ...same, ...state], sql` AND `);
}

/** Changes a webhook. Throws 404, and 422 for a URL that must not be called. */
export async function updateWebhook(
  ctx: Ctx,
  id: string,
  change: { input: WebhookUpdateRequest; reach: AddressPolicy },
): Promise<Webhook> {
  const { paused, ...fields } = change.input;
  checkUrl(fields.url, change.reach);
  const [webhook] = await ctx.db
    .update(webhooks)
    .set({
      ...omitUndefined(fields),
      ...urlColumns(fields.url),
      ...pausedColumns(paused),
      updated_at: sql`iif(${isUnchanged(change.input)}, ${webhooks.updated_at}, ${ctx.now.toISOString()})`,
    })
    .where(ownedById(ctx, id))
    .returning(columns);
  if (!webhook) throw notFound();
  return webhook as Webhook;
}

/** Replaces a webhook's secret. The previous one is also used for a day. Throws 404. */
export async function replaceWebhookSecret(ctx: Ctx, id: string): Promise<NewWebhookSecret> {
  const secret = newSigningSecret();
  const previous_until = new Date(ctx.now.getTime() + OVERLAP_MS).toISOString();
  const changed = await ctx.db.returning(sql`
    UPDATE webhooks SET previous_secret = secret, previous_until = ${previous_until}, secret = ${secret},
      updated_at = ${ctx.now.toISOString()} WHERE id = ${id} AND owner = ${ctx.owner} RETURNING id`);
  if (changed.length === 0) throw notFound();
  return { secret, previous_until };
}

export async function deleteWebhook(ctx: Ctx, id: string): Promise<void> {
  const deleted = await ctx.db.delete(webhooks).where(ownedById(ctx, id)).returning({ id: webhooks.id });
  if (deleted.length === 0) throw notFound();
}

/** Ids of deliveries ascend with time, so the order is by id alone. */
const DELIVERIES: Keyset = { name: "deliveries", direction: "desc", key: Timestamp, id: Uuid };

/** The deliveries of a webhook, newest first. Throws 404. */
export async function listDeliveries(
  ctx: Ctx,
  id: string,
  query: DeliveryListQuery,
): Promise<WebhookDeliveryList> {
  const filter = and(
    eq(webhook_deliveries.webhook_id, id),
    eq(webhook_deliveries.owner, ctx.owner),
    query.status && eq(webhook_deliveries.status, query.status),
  );
  const [, last] = readKeysetPosition(DELIVERIES, query) ?? [];
  const [owned, page, [total]] = await ctx.db.batch([
    ctx.db.select({ id: webhooks.id }).from(webhooks).where(ownedById(ctx, id)),
    ctx.db
      .select(deliveryColumns)
      .from(webhook_deliveries)
      .where(and(filter, last === undefined ? undefined : lt(webhook_deliveries.id, String(last))))
      .orderBy(desc(webhook_deliveries.id))
      .limit(query.limit + 1)
      .offset(query.offset),
    ctx.db.select({ count: sql<number>`count(*)` }).from(webhook_deliveries).where(filter),
  ]);
  if (owned.length === 0) throw notFound();
  const { rows, ...rest } = cutPage(DELIVERIES, query, { rows: page, keyOf: (row) => row.created_at });
  return { items: rows as WebhookDelivery[], ...rest, total: total?.count ?? 0 };
}

export async function getDelivery(ctx: Ctx, id: string): Promise<WebhookDelivery> {
  const [delivery] = await ctx.db
    .select(deliveryColumns)
    .from(webhook_deliveries)
    .where(and(eq(webhook_deliveries.id, id), eq(webhook_deliveries.owner, ctx.owner)));
  if (!delivery) throw notFound();
  return delivery as WebhookDelivery;
}

/** When the sender may attempt a delivery that the request is about to attempt itself. */
const afterDirectAttempt = ({ now }: Ctx) => new Date(now.getTime() + DIRECT_ATTEMPT_MS).toISOString();

const MAX_TESTS = 50;

const purgeTestsStatement = (ctx: Ctx, webhookId: string) => {
  const tests = sql`webhook_deliveries INDEXED BY webhook_deliveries_tests_idx
    WHERE webhook_id = ${webhookId} AND event = 'webhook.test' AND owner = ${ctx.owner}`;
  return ctx.db.run(sql`DELETE FROM ${tests} AND id <= (
    SELECT id FROM ${tests} ORDER BY id DESC LIMIT 1 OFFSET ${MAX_TESTS})`);
};

/** Creates a test delivery for its request to send, and returns its id. Throws 404. */
export async function createTestDelivery(ctx: Ctx, webhookId: string): Promise<string> {
  const [id, now] = [uuid(), ctx.now.toISOString()];
  const insert = ctx.db.returning(sql`
    INSERT INTO webhook_deliveries (id, owner, webhook_id, event, data, occurred_at, status, attempts, next_attempt_at,
      created_at)
    SELECT ${id}, owner, id, ${WEBHOOK_TEST_EVENT}, json_object('name', name), ${now}, 'pending', 0, ${afterDirectAttempt(ctx)},
      ${now}
    FROM webhooks WHERE id = ${webhookId} AND owner = ${ctx.owner} RETURNING id`);
  const [inserted] = await ctx.db.batch([insert, purgeTestsStatement(ctx, webhookId)]);
  if (inserted.length === 0) throw notFound();
  return id;
}

/** Resets a delivery for its request to send again. Throws 404. */
export async function replayDelivery(ctx: Ctx, webhookId: string, id: string): Promise<void> {
  const replayed = await ctx.db.returning(sql`
    UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = ${afterDirectAttempt(ctx)}
    WHERE id = ${id} AND webhook_id = ${webhookId} AND owner = ${ctx.owner} RETURNING id`);
  if (replayed.length === 0) throw notFound();
}
