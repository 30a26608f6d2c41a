import { base64url } from "jose";
import type { SigningKeys } from "../../features/auth/token.ts";
import { hex, hmac } from "../../platform/core/bytes.ts";

// A session id is a Durable Object's name with a seal that binds it to its account. Without the seal, anyone who learns an id
// could use it, and every invented id would create an object.

const SEAL_BYTES = 16;
const ID_BYTES = 32;

export const newSessionId = (): string => hex(crypto.getRandomValues(new Uint8Array(ID_BYTES)));

async function sealOf(id: string, account: string, secret: Uint8Array): Promise<string> {
  const seal = await hmac(secret, `mcp-session:${account}:${id}`);
  return base64url.encode(seal.subarray(0, SEAL_BYTES));
}

export const sealSession = async (id: string, account: string, [key]: SigningKeys): Promise<string> =>
  `${id}.${await sealOf(id, account, key.secret)}`;

/** The object's name in a client's session id; undefined if it is not a session of this account. */
export async function verifySessionId(
  sent: string,
  account: string,
  keys: SigningKeys,
): Promise<string | undefined> {
  const [, id = ""] = /^([0-9a-f]{64})\.[\w-]{22}$/.exec(sent) ?? [];
  for (const { secret } of keys) {
    if (id !== "" && sent === `${id}.${await sealOf(id, account, secret)}`) return id;
  }
  return undefined;
}
