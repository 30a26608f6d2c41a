import { base64url } from "jose";
import { shardInSecret, shardPrefix } from "../../contract/home.ts";
import { hmac } from "../../platform/core/bytes.ts";
import type { SigningKey } from "./token.ts";

/** The successor of a refresh token. It is derived, so a client that lost the answer gets the same one again. */
export const refreshTokenSuccessor = async (token: string, shard: number, key: SigningKey): Promise<string> =>
  `${shardInSecret(token) === shard ? shardPrefix(token) : `${shard}.`}${base64url.encode(await hmac(key.secret, `refresh-successor:${token}`))}`;
