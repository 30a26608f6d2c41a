import { buildPushPayload } from "@block65/webcrypto-web-push";
import type { Ctx } from "../../platform/core/ctx.ts";
import { fetchWithPolicy } from "../../platform/http/outbound.ts";
import {
  deleteSubscription,
  listStoredSubscriptions,
  readVapidKeys,
  type StoredSubscription,
} from "./store.ts";

/** How long a push service keeps a message for a browser that is not running, in seconds. */
const RETENTION_SECONDS = 12 * 3600;
/** Timeout per push service, and for all browsers of an account together. */
const TIMEOUT_MS = 3000;
const ALL_TIMEOUT_MS = 15_000;
/** The push service no longer knows the subscription (RFC 8030 section 7.3). */
const GONE_STATUSES = [404, 410];

type PushOptions = {
  /** Contact for the push service: a URL or mailto. */
  subject: string;
  /** Replaces an earlier undelivered message with the same topic (RFC 8030 section 5.4). */
  topic: string;
  urgency: "normal" | "high";
};

/** Encrypts a message for a browser and sends it to the browser's push service; returns the HTTP status. */
async function sendTo(
  { endpoint, p256dh, auth }: StoredSubscription,
  message: object,
  {
    signal,
    topic,
    urgency,
    ...keys
  }: PushOptions & { publicKey: string; privateKey: string; signal: AbortSignal },
): Promise<number> {
  const options = { ttl: RETENTION_SECONDS, topic, urgency };
  const subscription = { endpoint, expirationTime: null, keys: { p256dh, auth } };
  const payload = await buildPushPayload({ data: { ...message }, options }, subscription, keys);
  const request = {
    ...payload,
    method: "POST",
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  };
  const { status, body } = await fetchWithPolicy("public")(endpoint, request);
  await body?.cancel();
  return status;
}

/** Sends one after another, so that dead endpoints take few connections. `problem`: why some browsers were not reached. */
export async function pushToAllBrowsers(
  ctx: Ctx,
  message: object,
  options: PushOptions,
): Promise<{ reached: number; problem: Error | undefined }> {
  const { public_key: publicKey, private_key: privateKey } = await readVapidKeys(ctx);
  const signal = AbortSignal.timeout(ALL_TIMEOUT_MS);
  const failures: unknown[] = [];
  let reached = 0;
  const push = async (subscription: StoredSubscription) => {
    const status = await sendTo(subscription, message, { ...options, publicKey, privateKey, signal });
    if (GONE_STATUSES.includes(status)) await deleteSubscription(ctx, subscription);
    else if (status >= 300) throw new Error(`The push service answered ${status}`);
    else reached += 1;
  };
  for (const subscription of await listStoredSubscriptions(ctx))
    await push(subscription).catch((problem: unknown) => failures.push(problem));
  const [first] = failures;
  const problem = first ? new Error(`${failures.length} browsers were not reached: ${first}`) : undefined;
  return { reached, problem };
}
