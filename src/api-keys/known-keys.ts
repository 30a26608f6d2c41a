import type { Access } from "../core/access.ts";
import { remembering } from "../core/recent.ts";

// Which tools a client of MCP may see depends on what its key may do, before any of them asks the database. Neither the
// name nor the scopes of a key can be changed, so this isolate remembers them; whether the key still lives is asked anew
// in every request.

export type KeyDescription = { name: string; scopes: readonly Access[] };

const MAX_KNOWN = 1000;

const known = remembering<string, KeyDescription>(MAX_KNOWN);

/**
 * What a key is called and may do.
 *
 * @param hash of the key
 * @param ask finds out, and throws for a key that is not valid: that is not remembered
 */
export async function describeKey(hash: string, ask: () => Promise<KeyDescription>): Promise<KeyDescription> {
  const description = known.get(hash) ?? (await ask());
  known.set(hash, description);
  return description;
}
