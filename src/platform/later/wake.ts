import { env, waitUntil } from "cloudflare:workers";
import { accountName } from "../../contract/home.ts";
import type { Env } from "../../env.ts";
import { askObject } from "../bindings/objects.ts";
import type { Place } from "../core/moved.ts";

/** Methods of an account's Durable Object (features/jobs/account.ts). */
interface AccountMethods extends Rpc.DurableObjectBranded {
  /** Runs what is due at a time in ms, or earlier if an earlier run is scheduled. */
  wake: (owner: number, home: number, at?: number) => Promise<void>;
  purgeHome: (home: number) => Promise<void>;
}

const objectOf = (name: string) =>
  ((env as unknown as Env).ACCOUNTS as unknown as DurableObjectNamespace<AccountMethods>).getByName(name);

/** Runs the cron handler's work for one shard in its own invocation. */
export const wakeHome = (home: number): Promise<void> => objectOf(`home ${home}`).purgeHome(home);

export const wakeNow = (place: Place, at?: number): Promise<void> =>
  askObject("once", () => objectOf(accountName(place)).wake(place.owner, place.home, at));

/** Wakes an account's object after the response. If this fails, the cron handler wakes it. */
export function wake({ owner, home }: Place, at?: number): void {
  const woken = wakeNow({ owner, home }, at).catch((problem: unknown) =>
    console.error(JSON.stringify({ account: "not woken", home, error: String(problem) })),
  );
  waitUntil(woken);
}
