import { errors, jwtVerify, SignJWT } from "jose";
import { FIRST_HOME } from "../../../contract/home.ts";
import { unauthorized } from "../../../platform/core/errors.ts";
import type { SigningKeys } from "../token.ts";

// Says whose password was right, between the two steps of a sign-in on a page. Good for nothing else.

const MINUTES = 5;
const TYPE = "second-step+jwt";
const AUDIENCE = "commonplace-second-step";

export type FirstStep = { home: number; owner: number; email: string; epoch: number };

export function signTicket(
  [current]: SigningKeys,
  { home, owner, email, epoch }: FirstStep,
  now: Date,
): Promise<string> {
  const issued = Math.floor(now.getTime() / 1000);
  return new SignJWT({ home, owner, email, epoch })
    .setProtectedHeader({ alg: "HS256", typ: TYPE, kid: current.id })
    .setAudience(AUDIENCE)
    .setIssuedAt(issued)
    .setExpirationTime(issued + MINUTES * 60)
    .sign(current.key);
}

const TOO_LATE = "Your sign-in took too long: enter your password again";

/** Reads a ticket. Throws 401 for an expired one, and for any other string. */
export async function readTicket(keys: SigningKeys, ticket: string, now: Date): Promise<FirstStep> {
  const { payload } = await jwtVerify<Omit<FirstStep, "home"> & Partial<FirstStep>>(
    ticket,
    ({ kid }) => {
      const key = keys.find(({ id }) => id === kid);
      if (!key) throw unauthorized(TOO_LATE);
      return key.key;
    },
    { algorithms: ["HS256"], audience: AUDIENCE, typ: TYPE, requiredClaims: ["exp"], currentDate: now },
  ).catch((problem: unknown) => {
    throw problem instanceof errors.JOSEError ? unauthorized(TOO_LATE) : problem;
  });
  const { home = FIRST_HOME, owner, email, epoch } = payload;
  return { home, owner, email, epoch };
}
