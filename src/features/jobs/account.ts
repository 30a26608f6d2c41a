import { DurableObject } from "cloudflare:workers";
import { FIRST_HOME } from "../../contract/home.ts";
import type { Env } from "../../env.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import type { Place } from "../../platform/core/moved.ts";
import { findPlace, isMoving } from "../../platform/homes/move-store.ts";
import { openHome } from "../../platform/homes/router.ts";
import { wakeNow } from "../../platform/later/wake.ts";
import { type Due, readDue, runChores } from "./chores.ts";

/** How long it waits while its account is being moved to another home. */
const MOVING_MS = 60_000;
/** When it looks again after something went wrong here. */
const RETRY_MS = 60_000;
/** What is due later than this is found by the cron handler. */
const LONGEST_MS = 30 * 86_400_000;
const OWNER = "owner";
const HOME = "home";

/**
 * Decides when an account goes on with its work, and that nothing is done by two at once; what to do is in the database.
 * Its alarm survives a restart, which a queue of the local runtime does not.
 */
export class AccountObject extends DurableObject<Env> {
  #last: Promise<unknown> = Promise.resolve();

  async wake(owner: number, home: number, at = Date.now()): Promise<void> {
    const { kv } = this.ctx.storage;
    if (kv.get(OWNER) !== owner) kv.put(OWNER, owner);
    if (home !== FIRST_HOME && kv.get(HOME) !== home) kv.put(HOME, home);
    await this.#wakeAt(at);
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
    const place = { owner, home: this.ctx.storage.kv.get<number>(HOME) ?? FIRST_HOME };
    const next = await this.#work(openHome(this.env, place.home), place).catch((problem: unknown) => {
      console.error(JSON.stringify({ account: "failed", home: place.home, error: String(problem) }));
      return Date.now() + RETRY_MS;
    });
    if (next !== null && next < Date.now() + LONGEST_MS) await this.#wakeAt(Math.max(Date.now(), next));
  }

  /** Returns when there is something to do again; null when only somebody else can give it something. */
  async #work(base: BaseCtx, place: Place): Promise<number | null> {
    const due = await readDue(base, this.env, place.owner);
    if (!due) return this.#leave(base, place);
    const hasFailed = await runChores(base, this.env, due);
    if (hasFailed) return Date.now() + RETRY_MS;
    const after = await readDue(base, this.env, place.owner);
    return after ? nextOf(after) : Date.now();
  }

  /** The account is gone, or elsewhere. */
  async #leave(base: BaseCtx, { owner }: Place): Promise<number | null> {
    if (await isMoving(base, owner)) return Date.now() + MOVING_MS;
    const place = await findPlace(base, owner);
    if (place) await wakeNow(place);
    await this.ctx.storage.deleteAll();
    return null;
  }
}

function nextOf({ moments }: Due): number | null {
  const [next] = Object.values(moments)
    .filter((moment) => moment !== null)
    .sort();
  return next === undefined ? null : next === "" ? Date.now() : Date.parse(next);
}
