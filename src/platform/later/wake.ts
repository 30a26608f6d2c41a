import { env, waitUntil } from "cloudflare:workers";
import { accountName } from "../../contract/home.ts";
import type { Env } from "../../env.ts";
import type { Place } from "../core/moved.ts";

/** What an account's Durable Object can be asked (features/jobs/account.ts). */
interface Objects extends Rpc.DurableObjectBranded {
  /** Looks what is due at a time in ms, or earlier if it was to do so anyway. */
  wake: (owner: number, home: number, at?: number) => Promise<void>;
  purgeHome: (home: number) => Promise<void>;
}

const objectOf = (name: string) =>
  ((env as unknown as Env).ACCOUNTS as unknown as DurableObjectNamespace<Objects>).getByName(name);

/** Does what the cron handler does in one home. */
export const wakeHome = (home: number): Promise<void> => objectOf(`home ${home}`).purgeHome(home);

export const wakeNow = (place: Place, at?: number): Promise<void> =>
  objectOf(accountName(place)).wake(place.owner, place.home, at);

/** Lets an account do what it has to, after the answer. If this fails, the cron handler finds it. */
export function wake({ owner, home }: Place, at?: number): void {
  const woken = wakeNow({ owner, home }, at).catch((problem: unknown) =>
    console.error(JSON.stringify({ account: "not woken", home, error: String(problem) })),
  );
  waitUntil(woken);
}
