import { isPublicHost } from "./public-host.ts";

// The one thing that the service fetches is what an OAuth client names: its metadata document and its keys. On Cloudflare
// `global_fetch_strictly_public` keeps that out of private networks; a self-hosted copy has neighbours.

type Fetch = typeof fetch;

/**
 * A fetch for addresses that strangers choose: https, hosts that are out in the world, and no redirects, for a redirect
 * could lead anywhere (draft-ietf-oauth-client-id-metadata-document-02 sections 5 and 8.6). Throws TypeError.
 */
export const publicOnly =
  (inner: Fetch): Fetch =>
  async (input, init) => {
    const request = new Request(input, { ...init, redirect: "manual" });
    const { protocol, hostname } = new URL(request.url);
    if (protocol !== "https:" || !isPublicHost(hostname)) throw new TypeError("Not a public address");
    return inner(request);
  };

/** Makes it the only fetch there is: the OAuth library has no other place for it. */
export function guardOutbound(): void {
  globalThis.fetch = publicOnly(globalThis.fetch);
}
