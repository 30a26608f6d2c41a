import type { KeyScope } from "../../contract/access.ts";
import { createRecentMap } from "../../platform/core/recent.ts";

// A key's name and scopes never change, so each isolate caches them. Its validity is checked in every request.

export type KeyDescription = { name: string; scopes: readonly KeyScope[] };

const MAX_KNOWN = 1000;

const descriptions = createRecentMap<string, KeyDescription>(MAX_KNOWN);

/** The name and scopes of a key by its hash. `load` throws for an invalid key, which is not cached. */
export async function describeKey(
  hash: string,
  load: () => Promise<KeyDescription>,
): Promise<KeyDescription> {
  const description = descriptions.get(hash) ?? (await load());
  descriptions.set(hash, description);
  return description;
}
