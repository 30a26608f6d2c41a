import type { Context } from "hono";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { unprocessable } from "../../platform/core/errors.ts";
import { limitCallerFailures } from "./attempts.ts";
import { requireCode } from "./second-factor/store.ts";
import { checkPassword } from "./store.ts";
import { signingKeys } from "./token.ts";

// A session alone must not be enough to change sign-in methods or erase the account: the owner confirms with the password.

export type OwnerProof = { password: string; current_code?: string | undefined };

/** Checks the password and, with two-factor authentication, a code. Throws 403, 422 (no code), 400 (wrong code), 429. */
export async function reauthenticate(
  c: Context<AppEnv>,
  { password, current_code }: OwnerProof,
): Promise<{ hasFactor: boolean }> {
  const { ctx } = c.var;
  const { factor } = await limitCallerFailures(c, "password", () => checkPassword(ctx, password));
  if (factor === null) return { hasFactor: false };
  if (current_code === undefined)
    throw unprocessable("current_code: is required, because this account uses two-factor authentication");
  const keys = await signingKeys(c.env);
  await limitCallerFailures(c, "code", () => requireCode(ctx, keys, factor, current_code));
  return { hasFactor: true };
}
