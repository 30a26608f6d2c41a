import { env } from "cloudflare:workers";
import type { Env } from "../../env.ts";
import { isPublicHost } from "../../shared/public-host.ts";

// Requests to addresses from users. On Cloudflare, `global_fetch_strictly_public` keeps them out of private networks;
// `npm start` sets OUTBOUND, which rejects private addresses after resolving the name.

type Fetch = typeof fetch;

const unguarded = globalThis.fetch.bind(globalThis);

const toNetwork: Fetch = (input, init) => {
  const { OUTBOUND } = env as unknown as Env;
  return OUTBOUND ? OUTBOUND.fetch(input, init) : unguarded(input, init);
};

/** Allowed addresses: public ones over https, or any, which a self-hosted copy can allow. */
export type AddressPolicy = "public" | "any";

export const addressPolicy = ({ WEBHOOK_PRIVATE }: Env): AddressPolicy =>
  WEBHOOK_PRIVATE === "allow" ? "any" : "public";

export function addressProblem(
  { protocol, hostname, username, password }: URL,
  reach: AddressPolicy,
): string | null {
  if (username !== "" || password !== "") return "must not contain a user name or password";
  if (reach === "any") return /^https?:$/.test(protocol) ? null : "must begin with https:// or http://";
  if (protocol !== "https:") return "must begin with https://";
  return isPublicHost(hostname) ? null : "must be a public address";
}

/** https, public hosts, no redirects (draft-ietf-oauth-client-id-metadata-document-02, 5 and 8.6). Throws TypeError. */
export const publicOnly =
  (inner: Fetch): Fetch =>
  async (input, init) => {
    const request = new Request(input, { ...init, redirect: "manual" });
    if (addressProblem(new URL(request.url), "public")) throw new TypeError("Not a public address");
    return inner(request);
  };

/** A fetch for addresses from users. It does not follow redirects. Throws for an address that is not allowed. */
export const fetchWithPolicy = (reach: AddressPolicy): Fetch =>
  reach === "public"
    ? publicOnly(toNetwork)
    : async (input, init) => unguarded(new Request(input, { ...init, redirect: "manual" }));

/** Replaces the global fetch, because the OAuth library has no option for it. */
export function guardOutbound(): void {
  globalThis.fetch = publicOnly(toNetwork);
}
