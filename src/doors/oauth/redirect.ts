/** Schemes of well-known clients, which have no dot. */
const KNOWN_APPS = ["cursor:", "vscode:", "vscode-insiders:", "windsurf:"];

/** The scheme of an address that opens an app, such as `cursor:`; undefined for a web address. */
export function appScheme(redirectUri: string): string | undefined {
  const protocol = URL.canParse(redirectUri) ? new URL(redirectUri).protocol : "";
  return ["", "http:", "https:"].includes(protocol) ? undefined : protocol;
}

/** A reversed domain name, which has a dot (RFC 8252, 7.1), or a well-known app. Any other scheme may run something. */
export const isAppScheme = (scheme: string): boolean =>
  KNOWN_APPS.includes(scheme) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(scheme);

export function isAllowedRedirect(redirectUri: unknown): boolean {
  if (typeof redirectUri !== "string" || !URL.canParse(redirectUri)) return false;
  const scheme = appScheme(redirectUri);
  return scheme === undefined || isAppScheme(scheme);
}
