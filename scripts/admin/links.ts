import { createSetUpCode, registrationState } from "../../src/features/auth/registration-store.ts";
import type { BaseCtx } from "../../src/platform/core/ctx.ts";
import { type CloudflareClient, undefinedIfMissing } from "../common/cloudflare.ts";

/** The origin of a service's address, for links. Throws if the text is not an address. */
export function serviceOrigin(address: string): string {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new Error(`${address} is not an address such as https://notes.example`);
  return new URL(address).origin;
}

/** The page that creates an account with a code. Browsers never send the part after `#`. */
export const registrationLink = (address: string, code: string) => `${address}/sign-in/register#${code}`;

/** A code that creates the admin's account; undefined if there is an admin. */
export async function setUpCodeIfNeeded(base: BaseCtx): Promise<string | undefined> {
  const { needsSetUp } = await registrationState(base, "closed");
  return needsSetUp ? createSetUpCode(base) : undefined;
}

/** The page that sets a password with a code. */
export const passwordLink = (address: string, code: string) => `${address}/sign-in/new-password#${code}`;

/** The address of a deployment: the configured one, or the workers.dev address. */
export async function deploymentAddress({
  call,
  account,
  config,
}: CloudflareClient): Promise<string | undefined> {
  const { API_URL, MCP_URL } = config.vars;
  if (API_URL) return API_URL;
  if (MCP_URL) return new URL(MCP_URL).origin;
  const path = `/accounts/${account}/workers/subdomain`;
  const registered = await undefinedIfMissing(call<{ subdomain: string }>(path));
  return registered && `https://${config.name}.${registered.subdomain}.workers.dev`;
}
