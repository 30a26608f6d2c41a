import { registrationState, startSetUp } from "../../src/features/auth/registration-store.ts";
import { registrationLink } from "../admin/links.ts";
import { baseOf } from "../common/d1.ts";
import type { Settings } from "../common/settings.ts";
import { localFile } from "../common/source.ts";
import { stoppedTarget } from "../common/targets.ts";

/** The link that creates the admin's account; undefined if there is an admin. The Worker must not be running. */
export async function setUpLink({ stateDir, address }: Settings): Promise<string | undefined> {
  const target = stoppedTarget(localFile(stateDir));
  try {
    const base = baseOf(target);
    const { needsSetUp } = await registrationState(base, "closed");
    return needsSetUp ? registrationLink(address, await startSetUp(base)) : undefined;
  } finally {
    target.close();
  }
}
