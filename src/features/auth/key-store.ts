import { eq } from "drizzle-orm";
import type { KeyScope } from "../../contract/access.ts";
import { FIRST_SHARD, SHARD_PATTERN } from "../../contract/shard.ts";
import type { AccountLocation } from "../../platform/core/account-location.ts";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { unauthorized } from "../../platform/core/errors.ts";
import { hashSecret, newSecret } from "../../platform/core/secret.ts";
import { api_keys } from "../../platform/db/tables.ts";
import type { Credential } from "./caller-store.ts";

const PREFIX = "cpk_";

/** A key names its user's shard and number: `cpk_<shard>.<number>.<secret>`. Older ones contain only a secret. */
const KEY_PATTERN = new RegExp(`^cpk_(${SHARD_PATTERN})\\.([1-9]\\d{0,15})\\.[\\w-]{43}$`);

export const isApiKey = (token: string) => token.startsWith(PREFIX);

export const newApiKey = ({ shard, owner }: AccountLocation): string =>
  `${PREFIX}${shard}.${owner}.${newSecret()}`;

/** The credential in a key. For an older key, the owner is looked up in `base`. Throws 401. */
export async function parseApiKey(
  base: BaseCtx,
  key: string,
  needs: readonly KeyScope[],
): Promise<Credential> {
  const hash = await hashSecret(key);
  const [, shard, number] = KEY_PATTERN.exec(key) ?? [];
  if (number) return { kind: "key", shard: Number(shard), owner: Number(number), hash, needs };
  const [row] = await base.db.select({ owner: api_keys.owner }).from(api_keys).where(eq(api_keys.hash, hash));
  if (!row) throw unauthorized();
  return { kind: "key", shard: FIRST_SHARD, owner: row.owner, hash, needs };
}
