import { registrationLink, setUpCodeIfNeeded } from "../admin/links.ts";
import { openStoppedDatabase } from "../common/copy-databases.ts";
import { baseCtxFor } from "../common/d1.ts";
import { requireDatabaseFile } from "../common/local-database.ts";
import type { ServiceSettings } from "../common/settings.ts";

/** The link that creates the admin's account; undefined if there is an admin. The Worker must not be running. */
export async function createSetUpLink({ stateDir, address }: ServiceSettings): Promise<string | undefined> {
  const target = openStoppedDatabase(requireDatabaseFile(stateDir));
  try {
    const code = await setUpCodeIfNeeded(baseCtxFor(target));
    return code && registrationLink(address, code);
  } finally {
    target.close();
  }
}
