import type { Context } from "hono";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { invalid } from "../../platform/core/errors.ts";
import { countingCodes, countingPasswords } from "./attempts.ts";
import { useCode } from "./second-factor/store.ts";
import { checkPassword } from "./store.ts";
import { signingKeys } from "./token.ts";

// A session alone must not change how people get into its account, nor erase it: the owner proves it again.

export type Proof = { password: string; current_code?: string | undefined };

/** Checks the password and, if the account has one, uses up a code. Throws 403, 422 (no code), 400 (wrong one), 429. */
export async function confirmOwner(
  c: Context<AppEnv>,
  { password, current_code }: Proof,
): Promise<{ hasFactor: boolean }> {
  const { ctx } = c.var;
  const { factor } = await countingPasswords(c, () => checkPassword(ctx, password));
  if (factor === null) return { hasFactor: false };
  if (current_code === undefined)
    throw invalid("current_code: is required, because this account has a second factor");
  const keys = await signingKeys(c.env);
  await countingCodes(c, () => useCode(ctx, keys, factor, current_code));
  return { hasFactor: true };
}
