import { commandName, type ServiceSettings } from "../common/settings.ts";

const registerText = (address: string) => `    - create an account:     open ${address}, or
                             curl -X POST ${address}/api/auth/register \\
                               -H 'Content-Type: application/json' \\
                               -d '{"email": "you@example.com", "password": "at least 8 characters"}'
                             Registration is open, because only this machine can reach the service. The first
                             account is the admin's.`;

const setUpText = (link: string) => `    - set it up:             ${link}
                             This link creates the admin's account. It works once, within a day.`;

const INVITE_TEXT = "    - invite someone:        npm run admin -- invite";

/** What `npm start` prints when the service is running. */
export function printWelcome(
  { address, apiUrl, isLocal, stateDir, vars }: ServiceSettings,
  link: string | undefined,
): void {
  const accountText = isLocal ? registerText(apiUrl) : link ? setUpText(link) : INVITE_TEXT;
  console.log(`
  Commonplace is running.

    API   ${isLocal ? apiUrl : address}
    MCP   ${vars.MCP_URL}

  What to do next:
    - read and try the API:  ${isLocal ? apiUrl : address}/docs
${accountText}
    - import your notes:     ${commandName("npm run import --", "commonplace import")} <folder> --url ${apiUrl} --email you@example.com

  Your data is in ${stateDir}. Ctrl-C stops both ports.
`);
}
