import { eq } from "drizzle-orm";
import type { Access } from "../core/access.ts";
import type { BaseCtx } from "../core/ctx.ts";
import { unauthorized } from "../core/errors.ts";
import { hashSecret, newSecret } from "../core/secret.ts";
import { api_keys } from "../db/tables.ts";
import type { Credential } from "./caller-store.ts";
import { HOME } from "./token.ts";

// API keys as credentials. api-keys/ is where their owners make and revoke them.

/** How every key begins, so that secret scanners and people know one when they see it. */
const PREFIX = "cpk_";

/** A key says where its user's data is: `cpk_<home>.<number>.<secret>`. Older ones are a secret alone. */
const KEY = /^cpk_1\.([1-9]\d{0,15})\.[\w-]{43}$/;

export const isApiKey = (token: string) => token.startsWith(PREFIX);

/** A key that nobody has had before, for the user of this number. */
export const newApiKey = (owner: number): string => `${PREFIX}${HOME}.${owner}.${newSecret()}`;

/** What a key shows. The owner of one of the older form is looked up, at the price of a call. Throws 401. */
export async function keyCredential(
  base: BaseCtx,
  key: string,
  needs: readonly Access[],
): Promise<Credential> {
  const hash = await hashSecret(key);
  const number = KEY.exec(key)?.[1];
  if (number) return { kind: "key", owner: Number(number), hash, needs };
  const [row] = await base.db.select({ owner: api_keys.owner }).from(api_keys).where(eq(api_keys.hash, hash));
  if (!row) throw unauthorized();
  return { kind: "key", owner: row.owner, hash, needs };
}
