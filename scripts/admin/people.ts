import type { PlanTier } from "../../src/contract/billing.ts";
import { FIRST_HOME } from "../../src/contract/home.ts";
import { nearestHome } from "../../src/contract/placement.ts";
import * as accounts from "../../src/features/admin/store.ts";
import { claimAddress } from "../../src/features/auth/registration-store.ts";
import type { BaseCtx } from "../../src/platform/core/ctx.ts";
import { findHome, release, settle } from "../../src/platform/homes/address-book-store.ts";
import { type Databases, homeNamed } from "../common/databases.ts";

// Accounts of a service with several shards. The address book in the first shard says which one has an address.

/** The context of the shard with this address; of the first shard if the address is unknown. */
export async function baseFor({ homes: shards, base }: Databases, email: string): Promise<BaseCtx> {
  const first = await base(FIRST_HOME);
  return shards.length === 1 ? first : base((await findHome(first, email)) ?? FIRST_HOME);
}

/** Throws if an account has this address. */
export async function refuseTaken(databases: Databases, email: string): Promise<void> {
  const account = await accounts.findAccount(await baseFor(databases, email), email);
  if (!account) return;
  const hint = account.closed_at
    ? "it is closed; open it with `open`"
    : "`reset` prints a link that sets its password";
  throw new Error(`${email} already has an account: ${hint}`);
}

/** The shard for a new account: the emptiest one that takes new users. Throws if there is none. */
async function findEmptiestShard({ homes: shards, size }: Databases): Promise<number> {
  if (shards.length === 1) return FIRST_HOME;
  const sizes = shards.map(async ({ number }) => [number, await size(number)] as const);
  const shard = nearestHome(shards, new Map(await Promise.all(sizes)), undefined);
  if (shard === undefined)
    throw new Error("No home takes new users: choose one with --home, or open or add one");
  return shard;
}

type NewAccount = { email: string; plan: PlanTier; binding: string | undefined };

/** Creates an account. Returns the code that sets its password. Throws if an account has the address. */
export async function createAccount(
  databases: Databases,
  { email, plan, binding }: NewAccount,
): Promise<string> {
  await refuseTaken(databases, email);
  const first = await databases.base(FIRST_HOME);
  const chosenShard =
    binding === undefined ? await findEmptiestShard(databases) : homeNamed(databases, binding);
  if (chosenShard === FIRST_HOME) return accounts.createAccount(first, email, plan);
  const shard = await claimAddress(first, { email, home: chosenShard, mode: "open" });
  const base = await databases.base(shard);
  const code = await accounts.createAccount(base, email, plan);
  const { id: userId } = await accounts.accountOf(base, email);
  await settle(first, { email, home: shard, userId });
  return code;
}

/** Deletes an account. Throws 404 for an unknown address. */
export async function deleteAccount(databases: Databases, email: string): Promise<void> {
  const base = await baseFor(databases, email);
  const { id: userId } = await accounts.accountOf(base, email);
  await accounts.deleteAccount(base, email);
  if (base.home !== FIRST_HOME) await release(await databases.base(FIRST_HOME), userId);
}
