import { readClaims, type SigningKeys, signClaims } from "../auth/token.ts";

// Tokens in notifications and emails, with which the reminder's record can be acted on without signing in. A new password
// invalidates them.

const PURPOSE = {
  type: "reminder+jwt",
  audience: "commonplace-reminder",
  seconds: 7 * 86_400,
  refusal: "This reminder is too old to act on: open the record in the app",
};

type ReminderClaims = {
  home: number;
  owner: number;
  user_id: string;
  epoch: number;
  memory_id: number;
};

export const signReminderToken = (keys: SigningKeys, reminded: ReminderClaims, now: Date): Promise<string> =>
  signClaims(keys, PURPOSE, reminded, now);

/** Reads a token. Throws 401 if it is older than a week, and for any other string. */
export async function readReminderToken(
  keys: SigningKeys,
  token: string,
  now: Date,
): Promise<ReminderClaims> {
  const claims = await readClaims<ReminderClaims>(keys, PURPOSE, token, now);
  const { home, owner, user_id, epoch, memory_id } = claims;
  return { home, owner, user_id, epoch, memory_id };
}
