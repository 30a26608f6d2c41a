import { buildPushPayload } from "@block65/webcrypto-web-push";
import type { Ctx } from "../../platform/core/ctx.ts";
import { fetchFrom } from "../../platform/http/outbound.ts";
import { forget, listSubscribed, readKeys, type Subscribed } from "./store.ts";

/** How long a push service keeps a message for a browser that is not running, in seconds. */
const RETENTION_SECONDS = 12 * 3600;
/** How long a push service may take, and those of all of an account's browsers together. */
const TIMEOUT_MS = 3000;
const ALL_TIMEOUT_MS = 15_000;
/** With these, a push service says that it no longer knows a subscription (RFC 8030 section 7.3). */
const UNKNOWN = [404, 410];

/** Whom a push service may ask, which earlier message this one replaces (RFC 8030 section 5.4), and how urgent it is. */
export type Manner = { subject: string; topic: string; urgency: "normal" | "high" };

/** Encrypts a message for a browser and hands it to the browser's push service; returns its status. */
async function sendTo(
  { endpoint, p256dh, auth }: Subscribed,
  message: object,
  {
    signal,
    topic,
    urgency,
    ...keys
  }: Manner & { publicKey: string; privateKey: string; signal: AbortSignal },
): Promise<number> {
  const options = { ttl: RETENTION_SECONDS, topic, urgency };
  const subscription = { endpoint, expirationTime: null, keys: { p256dh, auth } };
  const payload = await buildPushPayload({ data: { ...message }, options }, subscription, keys);
  const request = {
    ...payload,
    method: "POST",
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  };
  const { status, body } = await fetchFrom("public")(endpoint, request);
  await body?.cancel();
  return status;
}

/** One after another, so that dead addresses take few connections. Returns how many were reached, and why others were not. */
export async function pushToAll(
  ctx: Ctx,
  message: object,
  manner: Manner,
): Promise<{ reached: number; problem: Error | undefined }> {
  const { public_key: publicKey, private_key: privateKey } = await readKeys(ctx);
  const signal = AbortSignal.timeout(ALL_TIMEOUT_MS);
  const failures: unknown[] = [];
  let reached = 0;
  const push = async (subscribed: Subscribed) => {
    const status = await sendTo(subscribed, message, { ...manner, publicKey, privateKey, signal });
    if (UNKNOWN.includes(status)) await forget(ctx, subscribed);
    else if (status >= 300) throw new Error(`The push service answered ${status}`);
    else reached += 1;
  };
  for (const subscribed of await listSubscribed(ctx))
    await push(subscribed).catch((problem: unknown) => failures.push(problem));
  const [first] = failures;
  const problem = first ? new Error(`${failures.length} browsers were not reached: ${first}`) : undefined;
  return { reached, problem };
}
