import { type Cloudflare, ifFound } from "../common/cloudflare.ts";

/** The origin of a service's address, with which its links begin. Throws for a text that is no such address. */
export function originOf(address: string): string {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new Error(`${address}: must be an address such as https://notes.example`);
  return new URL(address).origin;
}

/** The page on which an account is created with a code. Browsers send what stands behind `#` to nobody. */
export const registrationLink = (address: string, code: string) => `${address}/sign-in/register#${code}`;

/** The page on which a password is set with a code. */
export const passwordLink = (address: string, code: string) => `${address}/sign-in/new-password#${code}`;

/** The address of a deployment: the configured one, or the one on workers.dev. */
export async function addressOf({ call, account, config }: Cloudflare): Promise<string | undefined> {
  const { API_URL, MCP_URL } = config.vars;
  if (API_URL) return API_URL;
  if (MCP_URL) return new URL(MCP_URL).origin;
  const answer = await ifFound(call<{ subdomain: string }>(`/accounts/${account}/workers/subdomain`));
  return answer && `https://${config.name}.${answer.result.subdomain}.workers.dev`;
}
