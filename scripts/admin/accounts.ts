import type { PlanTier } from "../../src/contract/billing.ts";
import { nearestShard } from "../../src/contract/placement.ts";
import { FIRST_SHARD } from "../../src/contract/shard.ts";
import * as accounts from "../../src/features/admin/store.ts";
import { claimAddress } from "../../src/features/auth/registration-store.ts";
import type { BaseCtx } from "../../src/platform/core/ctx.ts";
import {
  confirmAddress,
  deleteAddresses,
  findShardOfAddress,
} from "../../src/platform/shards/address-directory-store.ts";
import { type Databases, shardNumberOf } from "../common/databases.ts";

// Accounts of a service with several shards. The address directory in the first shard says which one has an address.

/** The context of the shard with this address; of the first shard if the address is unknown. */
export async function shardCtxForEmail({ shards, base }: Databases, email: string): Promise<BaseCtx> {
  const first = await base(FIRST_SHARD);
  return shards.length === 1 ? first : base((await findShardOfAddress(first, email)) ?? FIRST_SHARD);
}

/** Throws if an account has this address. */
export async function requireUnusedEmail(databases: Databases, email: string): Promise<void> {
  const account = await accounts.findAccount(await shardCtxForEmail(databases, email), email);
  if (!account) return;
  const hint = account.closed_at
    ? "it is closed; open it with `open`"
    : "`reset` prints a link that sets its password";
  throw new Error(`${email} already has an account: ${hint}`);
}

/** The shard for a new account: the emptiest one that takes new users. Throws if there is none. */
async function findEmptiestShard({ shards, size }: Databases): Promise<number> {
  if (shards.length === 1) return FIRST_SHARD;
  const sizes = shards.map(async ({ number }) => [number, await size(number)] as const);
  const shard = nearestShard(shards, new Map(await Promise.all(sizes)), undefined);
  if (shard === undefined)
    throw new Error("No home takes new users: choose one with --home, or open or add one");
  return shard;
}

type NewAccount = { email: string; plan: PlanTier; binding: string | undefined };

/** Creates an account. Returns the code that sets its password. Throws if an account has the address. */
export async function createAccountInShard(
  databases: Databases,
  { email, plan, binding }: NewAccount,
): Promise<string> {
  await requireUnusedEmail(databases, email);
  const first = await databases.base(FIRST_SHARD);
  const chosenShard =
    binding === undefined ? await findEmptiestShard(databases) : shardNumberOf(databases, binding);
  if (chosenShard === FIRST_SHARD) return accounts.createAccount(first, email, plan);
  const shard = await claimAddress(first, { email, home: chosenShard, mode: "open" });
  const base = await databases.base(shard);
  const code = await accounts.createAccount(base, email, plan);
  const { id: userId } = await accounts.requireAccount(base, email);
  await confirmAddress(first, { email, home: shard, userId });
  return code;
}

/** Deletes an account. Throws 404 for an unknown address. */
export async function deleteAccountInShard(databases: Databases, email: string): Promise<void> {
  const base = await shardCtxForEmail(databases, email);
  const { id: userId } = await accounts.requireAccount(base, email);
  await accounts.deleteAccount(base, email);
  if (base.shard !== FIRST_SHARD) await deleteAddresses(await databases.base(FIRST_SHARD), userId);
}
