import { readClaims, type SigningKeys, signClaims } from "../token.ts";

// Proves that the password was right, between the two steps of a sign-in on a page. Not valid for anything else.

const PURPOSE = {
  type: "second-step+jwt",
  audience: "commonplace-second-step",
  seconds: 5 * 60,
  refusal: "Signing in took too long: enter your password again",
};

export type SignInTicket = { shard: number; owner: number; email: string; epoch: number };
type TicketClaims = Omit<SignInTicket, "shard"> & { home: number };

export const signTicket = (
  keys: SigningKeys,
  { shard, owner, email, epoch }: SignInTicket,
  now: Date,
): Promise<string> => {
  const claims: TicketClaims = { home: shard, owner, email, epoch };
  return signClaims(keys, PURPOSE, claims, now);
};

/** Reads a ticket. Throws 401 if it has expired, and for any other string. */
export async function readTicket(keys: SigningKeys, ticket: string, now: Date): Promise<SignInTicket> {
  const { home, owner, email, epoch } = await readClaims<TicketClaims>(keys, PURPOSE, ticket, now);
  return { shard: home, owner, email, epoch };
}
