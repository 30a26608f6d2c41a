import { readClaims, signClaims } from "../auth/signed.ts";
import type { SigningKeys } from "../auth/token.ts";

// What a notification or an email can do to the record that it is about, without anybody signed in. Good for nothing else, and
// no longer once the account has a new password.

const PURPOSE = {
  type: "reminder+jwt",
  audience: "commonplace-reminder",
  seconds: 7 * 86_400,
  refusal: "This reminder is too old to act on: open the record in the app",
};

export type Reminded = { home: number; owner: number; user_id: string; epoch: number; memory_id: number };

export const signAction = (keys: SigningKeys, reminded: Reminded, now: Date): Promise<string> =>
  signClaims(keys, PURPOSE, reminded, now);

/** Reads a token. Throws 401 for one that is older than a week, and for any other string. */
export async function readAction(keys: SigningKeys, token: string, now: Date): Promise<Reminded> {
  const claims = await readClaims<Reminded>(keys, PURPOSE, token, now);
  const { home, owner, user_id, epoch, memory_id } = claims;
  return { home, owner, user_id, epoch, memory_id };
}
