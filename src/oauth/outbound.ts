import { isPublicHost } from "./public-host.ts";

// The service fetches only what an OAuth client names: its metadata document and its keys. On Cloudflare
// `global_fetch_strictly_public` keeps such requests out of private networks; a self-hosted copy has to do so itself.

type Fetch = typeof fetch;

/**
 * A fetch for untrusted addresses: https, public hosts, and no redirects, since a redirect could lead anywhere (draft-
 * ietf-oauth-client-id-metadata-document-02 sections 5 and 8.6). Throws TypeError.
 */
export const publicOnly =
  (inner: Fetch): Fetch =>
  async (input, init) => {
    const request = new Request(input, { ...init, redirect: "manual" });
    const { protocol, hostname } = new URL(request.url);
    if (protocol !== "https:" || !isPublicHost(hostname)) throw new TypeError("Not a public address");
    return inner(request);
  };

/** Replaces the global fetch, because the OAuth library has no option for another one. */
export function guardOutbound(): void {
  globalThis.fetch = publicOnly(globalThis.fetch);
}
