import { env, waitUntil } from "cloudflare:workers";
import { globalAccountId } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import { callObject } from "../bindings/objects.ts";
import type { AccountLocation } from "../core/account-location.ts";

/** Methods of an account's Durable Object (features/jobs/account.ts). */
interface AccountMethods extends Rpc.DurableObjectBranded {
  /** Runs what is due at a time in ms, or earlier if an earlier run is scheduled. */
  wake: (owner: number, home: number, at?: number) => Promise<void>;
  purgeHome: (home: number) => Promise<void>;
}

const objectOf = (name: string) =>
  ((env as unknown as Env).ACCOUNTS as unknown as DurableObjectNamespace<AccountMethods>).getByName(name);

export const triggerShardPurge = (home: number): Promise<void> => objectOf(`home ${home}`).purgeHome(home);

export const wakeAccountNow = (place: AccountLocation, at?: number): Promise<void> =>
  callObject("once", () => objectOf(globalAccountId(place)).wake(place.owner, place.shard, at));

/** Wakes an account's object after the response. If this fails, the cron handler wakes it. */
export function wakeAccount({ owner, shard }: AccountLocation, at?: number): void {
  const woken = wakeAccountNow({ owner, shard }, at).catch((problem: unknown) =>
    console.error(JSON.stringify({ account: "not woken", home: shard, error: String(problem) })),
  );
  waitUntil(woken);
}
