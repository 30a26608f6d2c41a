import { SHARD_PATTERN } from "../../contract/shard.ts";
import type { AccountLocation } from "../../platform/core/account-location.ts";
import { hashSecret } from "../../platform/core/secret.ts";

/** A session ends this many seconds after it was last used. */
export const SESSION_SECONDS = 30 * 86_400;

export const sessionExpiry = (now: Date): string =>
  new Date(now.getTime() + SESSION_SECONDS * 1000).toISOString();

/** Like an API key, a cookie names its user's shard and number: `cps_<shard>.<number>.<secret>`. */
const COOKIE_PATTERN = new RegExp(`^cps_(${SHARD_PATTERN})\\.([1-9]\\d{0,15})\\.([\\w-]{43})$`);

export const cookieValue = ({ shard, owner, secret }: AccountLocation & { secret: string }): string =>
  `cps_${shard}.${owner}.${secret}`;

/** The same cookie with another shard and number. */
export const relocateCookie = (value: string, place: AccountLocation): string =>
  value.replace(COOKIE_PATTERN, (_, __, ___, secret: string) => cookieValue({ ...place, secret }));

export type CookieCredential = AccountLocation & {
  kind: "cookie";
  hash: string;
  /** The account that the page was opened for. It must be the cookie's. */
  user_id?: string | undefined;
};

/** The credential in a cookie; undefined for a value that this service did not create. */
export async function parseSessionCookie(value: string): Promise<CookieCredential | undefined> {
  const [, shard, number, secret] = COOKIE_PATTERN.exec(value) ?? [];
  if (secret === undefined) return undefined;
  return { kind: "cookie", shard: Number(shard), owner: Number(number), hash: await hashSecret(secret) };
}
