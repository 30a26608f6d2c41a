import { DurableObject } from "cloudflare:workers";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import type { AccountLocation } from "../../platform/core/account-location.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { wakeAccountNow } from "../../platform/jobs/wake.ts";
import { findNewLocation, isMigrating } from "../../platform/shards/migration-store.ts";
import { openShard } from "../../platform/shards/router.ts";
import { type DueChores, readDueChores, runChores } from "./chores.ts";

/** Pause while the account is being migrated to another shard. */
const MIGRATING_MS = 60_000;
/** Pause after an unexpected error. */
const RETRY_MS = 60_000;
/** The longest time to the next look at what is due. The runtime takes no alarm after the year 2262. */
const MAX_ALARM_MS = 30 * 86_400_000;
const OWNER = "owner";
const HOME = "home";

/**
 * Schedules the background work of an account and runs it one at a time; what to do is in the database. Its alarm survives a
 * restart, which a queue of the local runtime does not.
 */
export class AccountObject extends DurableObject<Env> {
  #last: Promise<unknown> = Promise.resolve();

  async wake(owner: number, home: number, at = Date.now()): Promise<void> {
    const { kv } = this.ctx.storage;
    if (kv.get(OWNER) !== owner) kv.put(OWNER, owner);
    if (home !== FIRST_SHARD && kv.get(HOME) !== home) kv.put(HOME, home);
    await this.#wakeAt(at);
  }

  override alarm(): Promise<void> {
    const run = this.#last.then(() => this.#run());
    this.#last = run.catch(() => undefined);
    return run;
  }

  async #wakeAt(time: number): Promise<void> {
    const soonest = Math.min(time, Date.now() + MAX_ALARM_MS);
    const alarm = await this.ctx.storage.getAlarm();
    if (alarm === null || alarm > soonest) await this.ctx.storage.setAlarm(soonest);
  }

  async #run(): Promise<void> {
    const owner = this.ctx.storage.kv.get<number>(OWNER);
    if (owner === undefined) return;
    const location = { owner, shard: this.ctx.storage.kv.get<number>(HOME) ?? FIRST_SHARD };
    const next = await this.#work(openShard(this.env, location.shard), location).catch((problem: unknown) => {
      console.error(JSON.stringify({ account: "failed", home: location.shard, error: String(problem) }));
      return Date.now() + RETRY_MS;
    });
    if (next !== null) await this.#wakeAt(Math.max(Date.now(), next));
  }

  /** Returns when work is due again; null if nothing is scheduled. */
  async #work(base: BaseCtx, location: AccountLocation): Promise<number | null> {
    const due = await readDueChores(base, this.env, location.owner);
    if (!due) return this.#retire(base, location);
    const hasFailed = await runChores(base, this.env, due);
    if (hasFailed) return Date.now() + RETRY_MS;
    const after = await readDueChores(base, this.env, location.owner);
    return after ? nextDueTime(after) : Date.now();
  }

  /** Clears the object if the account has been erased or migrated to another shard. */
  async #retire(base: BaseCtx, { owner }: AccountLocation): Promise<number | null> {
    if (await isMigrating(base, owner)) return Date.now() + MIGRATING_MS;
    const newLocation = await findNewLocation(base, owner);
    if (newLocation) await wakeAccountNow(newLocation);
    await this.ctx.storage.deleteAll();
    return null;
  }
}

function nextDueTime({ dueTimes }: DueChores): number | null {
  const [next] = Object.values(dueTimes)
    .filter((moment) => moment !== null)
    .sort();
  return next === undefined ? null : next === "" ? Date.now() : Date.parse(next);
}
