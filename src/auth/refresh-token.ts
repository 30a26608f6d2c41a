import { base64url } from "jose";
import { hmac } from "../platform/core/bytes.ts";
import { homeIn, homePrefix } from "../contract/home.ts";
import type { SigningKey } from "../features/auth/token.ts";

/**
 * The only valid successor of a refresh token. It is derived rather than random: a client that repeats a refresh because
 * the answer was lost gets the same successor, although only hashes are stored. It names the home
 * where the account is now.
 */
export const successorOf = async (token: string, home: number, key: SigningKey): Promise<string> =>
  `${homeIn(token) === home ? homePrefix(token) : `${home}.`}${base64url.encode(await hmac(key.secret, `refresh-successor:${token}`))}`;
