import { FIRST_HOME } from "../../../contract/home.ts";
import { readClaims, signClaims } from "../signed.ts";
import type { SigningKeys } from "../token.ts";

// Proves that the password was right, between the two steps of a sign-in on a page. Not valid for anything else.

const PURPOSE = {
  type: "second-step+jwt",
  audience: "commonplace-second-step",
  seconds: 5 * 60,
  refusal: "Signing in took too long: enter your password again",
};

export type FirstStep = { home: number; owner: number; email: string; epoch: number };

export const signTicket = (
  keys: SigningKeys,
  { home, owner, email, epoch }: FirstStep,
  now: Date,
): Promise<string> => signClaims(keys, PURPOSE, { home, owner, email, epoch }, now);

/** Reads a ticket. Throws 401 if it has expired, and for any other string. */
export async function readTicket(keys: SigningKeys, ticket: string, now: Date): Promise<FirstStep> {
  const claims = await readClaims<Omit<FirstStep, "home"> & Partial<FirstStep>>(keys, PURPOSE, ticket, now);
  const { home = FIRST_HOME, owner, email, epoch } = claims;
  return { home, owner, email, epoch };
}
