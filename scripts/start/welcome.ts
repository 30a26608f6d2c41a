import { registrationState, startSetUp } from "../../src/auth/registration-store.ts";
import { baseOf } from "../admin/d1.ts";
import { registrationLink } from "../admin/links.ts";
import { stoppedTarget } from "../admin/targets.ts";
import { localFile } from "../backup/source.ts";
import type { Settings } from "./settings.ts";

/**
 * The link with which the admin's account is created, if strangers could be faster otherwise and there is none yet. The
 * Worker must not be running.
 */
export async function setUpLink({ isLocal, stateDir, address }: Settings): Promise<string | undefined> {
  if (isLocal) return undefined;
  const target = stoppedTarget(localFile(stateDir));
  try {
    const base = baseOf(target);
    const { needsSetUp } = await registrationState(base, "closed");
    return needsSetUp ? registrationLink(address, await startSetUp(base)) : undefined;
  } finally {
    target.close();
  }
}

const firstAccount = (address: string) => `    - create an account:     open ${address}, or
                             curl -X POST ${address}/api/auth/register \\
                               -H 'Content-Type: application/json' \\
                               -d '{"email": "you@example.com", "password": "at least 8 characters"}'
                             Registration is open, as only this machine can reach the service. The first account
                             is the admin's.`;

const setUp = (link: string) => `    - set it up:             ${link}
                             This link creates the admin's account, once and within a day.`;

const INVITE = "    - invite somebody:       npm run admin -- invite";

/** What `npm start` prints when the service is running. */
export function welcome(
  { address, apiUrl, isLocal, stateDir, vars }: Settings,
  link: string | undefined,
): void {
  const accounts = isLocal ? firstAccount(apiUrl) : link ? setUp(link) : INVITE;
  console.log(`
  Commonplace is running.

    API   ${isLocal ? apiUrl : address}
    MCP   ${vars.MCP_URL}

  What to do next:
    - read and try the API:  ${isLocal ? apiUrl : address}/docs
${accounts}
    - import your notes:     npm run import -- <folder> --url ${apiUrl} --email you@example.com

  Your data is in ${stateDir}. Ctrl-C stops both ports.
`);
}
