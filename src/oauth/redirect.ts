// Where a code may be sent. Plain values in, plain values out.

/** Schemes of known clients that are older than the rule of the dot. */
const KNOWN_APPS = ["cursor:", "vscode:", "vscode-insiders:", "windsurf:"];

/**
 * The scheme of an address that opens an app, such as `cursor:`, or undefined for an address of the web. Which web
 * addresses are good is the OAuth library's to say.
 */
export function appScheme(redirectUri: string): string | undefined {
  const protocol = URL.canParse(redirectUri) ? new URL(redirectUri).protocol : "";
  return ["", "http:", "https:"].includes(protocol) ? undefined : protocol;
}

/**
 * Whether a scheme is an app's own: a domain name turned round, which has a dot (RFC 8252 section 7.1), or one of a short
 * list. Every other scheme may run something: `javascript:`, `data:`, or a helper of the operating system.
 */
export const isAppScheme = (scheme: string): boolean =>
  KNOWN_APPS.includes(scheme) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(scheme);

/** Whether a code may be sent there, as far as the scheme goes. */
export function isAllowedRedirect(redirectUri: unknown): boolean {
  if (typeof redirectUri !== "string" || !URL.canParse(redirectUri)) return false;
  const scheme = appScheme(redirectUri);
  return scheme === undefined || isAppScheme(scheme);
}
