import { DurableObject } from "cloudflare:workers";

type AttemptLimit = { attempts: number; seconds: number };

/** Parses a setting of the form `attempts/seconds`. Throws for any other form: a typo must not disable a limit. */
export function parseLimit(name: string, setting: string | undefined): AttemptLimit {
  const [, attempts, seconds] = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(setting ?? "") ?? [];
  if (!attempts || !seconds) throw new Error(`${name} must look like 10/60 (attempts/seconds)`);
  return { attempts: Number(attempts), seconds: Number(seconds) };
}

const HITS = "hits";
const DAY = "day";
const DAY_MS = 86_400_000;

/** One object per key, so that counts are exact for concurrent requests. An alarm erases it when its last attempt expires. */
export class RateLimiter extends DurableObject {
  /** Counts an attempt and returns 0, or returns the seconds to wait without counting it. */
  async take({ attempts, seconds }: AttemptLimit): Promise<number> {
    const now = Date.now();
    const window = seconds * 1000;
    const hits = (this.ctx.storage.kv.get<number[]>(HITS) ?? []).filter((hit) => hit > now - window);
    const oldest = hits[hits.length - attempts];
    if (oldest !== undefined) return Math.max(1, Math.ceil((oldest + window - now) / 1000));
    this.ctx.storage.kv.put(HITS, [...hits, now]);
    await this.ctx.storage.setAlarm(now + window);
    return 0;
  }

  /** Adds to the count of a day and returns the sum. Keeps only the last day, until it has passed. */
  async count(day: string, more: number): Promise<number> {
    const last = this.ctx.storage.kv.get<{ day: string; sum: number }>(DAY);
    const sum = (last?.day === day ? last.sum : 0) + more;
    this.ctx.storage.kv.put(DAY, { day, sum });
    await this.ctx.storage.setAlarm(Date.parse(day) + 2 * DAY_MS);
    return sum;
  }

  async release(): Promise<void> {
    const hits = this.ctx.storage.kv.get<number[]>(HITS) ?? [];
    // After `clear` there is no alarm that would erase what is stored.
    if (hits.length > 0) this.ctx.storage.kv.put(HITS, hits.slice(0, -1));
  }

  async clear(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
