/** The scheme of a URI that opens an app, such as `cursor:`; undefined for a web address. */
export function appScheme(redirectUri: string): string | undefined {
  const protocol = URL.parse(redirectUri)?.protocol ?? "";
  return ["", "http:", "https:"].includes(protocol) ? undefined : protocol;
}

// Schemes of browsers, systems and well-known protocols, which run or open what the rest of the URI specifies. IANA registers
// most of them; Windows, macOS, Android and browsers handle the others themselves.
const NOT_APPS = new Set(
  `about afp app-settings applescript blob callto chrome chrome-extension cid cifs content data dav davs devtools
  dict dns edge facetime facetime-audio feed file filesystem finger ftp ftps geo git gopher hcp help icap imap
  imaps intent ipfs ipns irc ircs itms itms-apps itms-services its jabber jar javascript jnlp jnlps ldap ldaps
  livescript localhost macappstores magnet mailto maps market mhtml mid mk mms mms-stream mocha moz-extension net
  news nfs nntp opera pkcs11 pop pop3 prefs rdp res resource rlogin rmi rtmp rtsp search search-ms sftp shell
  shortcuts sip sips smb sms snews ssh steam stun svn tel telnet tftp turn udp unix urn vbscript view-source
  vivaldi vnc webcal workflow ws wss wyciwyg x-man-page xmpp`.split(/\s+/),
);

/** Prefixes of such schemes of Windows, Apple and Android. */
const FAMILIES = /^(ms-|microsoft-|x-apple|com-apple-|android-|safari-)/;

/** Schemes that resemble `https`: `httpss`, `hxxp`, `htps`, `http-x`. */
const LIKE_WEB = /^(http|[htxps]+$)/;

/** Whether a scheme may be an app's, such as `cursor:` (RFC 8252, 7.1). Which app handles it cannot be verified. */
export function isAppScheme(scheme: string): boolean {
  const name = scheme.slice(0, -1);
  // A single letter is a drive of Windows.
  const isName = name.length > 1 && /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)*$/.test(name);
  return isName && !NOT_APPS.has(name) && !FAMILIES.test(name) && !LIKE_WEB.test(name);
}

export function isAllowedRedirect(redirectUri: unknown): boolean {
  if (typeof redirectUri !== "string" || !URL.canParse(redirectUri)) return false;
  const scheme = appScheme(redirectUri);
  return scheme === undefined || isAppScheme(scheme);
}
