import { DurableObject } from "cloudflare:workers";
import { accountName, FIRST_HOME } from "../../contract/home.ts";
import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import type { Place } from "../../platform/core/moved.ts";
import { findPlace, isMoving } from "../../platform/homes/move-store.ts";
import { openHome } from "../../platform/homes/router.ts";
import { deliver } from "./deliver.ts";
import { queueActivity, queueDue } from "./queue-store.ts";
import * as store from "./sending-store.ts";

/** How many messages a webhook is sent in one run. With ten webhooks, a run stays below D1's 1,000 queries. */
const ATTEMPTS = 10;
const PAGES = 5;
/** After so long a run begins no more attempts, so that one slow receiver does not hold up what others are to be sent. */
const RUN_MS = 10_000;
/** How long the sender waits while its account is being moved to another home. */
const MOVING_MS = 60_000;
/** When a webhook is served again after something went wrong here, not at its receiver. */
const RETRY_MS = 300_000;
const OWNER = "owner";
const HOME = "home";

/**
 * Decides when to send, and that nothing is sent by two at once; what to send is in the database. Its alarm survives a
 * restart, which a queue of the local runtime does not.
 */
export class WebhookSender extends DurableObject<Env> {
  #last: Promise<unknown> = Promise.resolve();

  async wake(owner: number, home: number): Promise<void> {
    const { kv } = this.ctx.storage;
    if (kv.get(OWNER) !== owner) kv.put(OWNER, owner);
    if (home !== FIRST_HOME && kv.get(HOME) !== home) kv.put(HOME, home);
    await this.#wakeAt(Date.now());
  }

  override alarm(): Promise<void> {
    const run = this.#last.then(() => this.#run());
    this.#last = run.catch(() => undefined);
    return run;
  }

  async #wakeAt(time: number): Promise<void> {
    const alarm = await this.ctx.storage.getAlarm();
    if (alarm === null || alarm > time) await this.ctx.storage.setAlarm(time);
  }

  async #run(): Promise<void> {
    const owner = this.ctx.storage.kv.get<number>(OWNER);
    if (owner === undefined) return;
    const home = this.ctx.storage.kv.get<number>(HOME) ?? FIRST_HOME;
    const ctx = await store.ctxOfOwner(openHome(this.env, home), owner);
    if (!ctx) return this.#stop({ home, owner });
    const webhooks = await store.listActiveWebhooks(ctx);
    const moments = await Promise.all(webhooks.map((webhook) => this.#serveOrRetry(ctx, webhook)));
    const [next] = moments.filter((moment) => moment !== null).sort();
    if (next) await this.#wakeAt(Date.parse(next));
  }

  async #stop(account: Place): Promise<void> {
    const base = openHome(this.env, account.home);
    if (await isMoving(base, account.owner)) return this.#wakeAt(base.now.getTime() + MOVING_MS);
    const place = await findPlace(base, account.owner);
    const senders = this.env.WEBHOOK_SENDERS as DurableObjectNamespace<WebhookSender>;
    if (place) await senders.getByName(accountName(place)).wake(place.owner, place.home);
    await this.ctx.storage.deleteAll();
  }

  /** Like `#serve`; a webhook that cannot be served, such as without the database, is served again after a while. */
  #serveOrRetry(ctx: Ctx, webhook: store.Webhook): Promise<string | null> {
    return this.#serve(ctx, webhook).catch((problem: unknown) => {
      console.error(JSON.stringify({ webhook: webhook.id, home: ctx.home, error: String(problem) }));
      return new Date(Date.now() + RETRY_MS).toISOString();
    });
  }

  /** Sends what a webhook is due; returns when there is something to do for it again, or null. */
  async #serve(ctx: Ctx, webhook: store.Webhook): Promise<string | null> {
    let isBehind = true;
    for (let page = 0; page < PAGES && isBehind; page++) isBehind = await queueActivity(ctx, webhook);
    await queueDue(ctx, webhook);
    await this.#send(ctx, webhook);
    return store.nextMoment(ctx, webhook, isBehind);
  }

  /** Reads each delivery right before it is sent: meanwhile the webhook may have been changed, or its account closed. */
  async #send(ctx: Ctx, { id }: store.Webhook): Promise<void> {
    const end = ctx.now.getTime() + RUN_MS;
    for (let attempts = 0; attempts < ATTEMPTS && Date.now() < end; attempts++) {
      const delivery = await store.findDue(ctx, id);
      if (!delivery) return;
      await deliver(ctx, this.env, delivery);
    }
  }
}
