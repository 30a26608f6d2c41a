// Which addresses in somebody's text may become links and pictures.

const SCREENS = /^\/(?:$|[?#]|(?:search|documents|files|records|projects|history|settings)(?:[/?#]|$))/;

export type Address =
  | { kind: "screen" | "here" | "elsewhere" | "anchor"; href: string }
  | { kind: "refused"; href: string };

/** Schemes that a link may have. Everything else, such as `javascript:`, is shown as text. */
const SCHEMES = ["http:", "https:", "mailto:"];

/**
 * What an address in a text leads to: a screen of the app, another page of this origin, another site, a heading of the
 * same text, or nowhere. Relative addresses other than paths have no meaning in a document.
 */
export function addressOf(href: string, origin: string): Address {
  if (href.startsWith("#")) return { kind: "anchor", href };
  if (!/^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(href) || !URL.canParse(href, origin)) {
    return { kind: "refused", href };
  }
  const url = new URL(href, origin);
  if (!SCHEMES.includes(url.protocol)) return { kind: "refused", href };
  if (url.origin !== origin) return { kind: "elsewhere", href: url.href };
  const path = `${url.pathname}${url.search}${url.hash}`;
  // A path may begin with two slashes, and would be another host's name by itself.
  return SCREENS.test(path) ? { kind: "screen", href: path } : { kind: "here", href: url.href };
}

/** The heading that a link within the text means. What is no encoding is taken as it is written. */
export function headingIn(href: string): string {
  try {
    return decodeURIComponent(href.slice(1));
  } catch {
    return href.slice(1);
  }
}

/** Folders whose files are pictures. Any other path would be a request to the service in the reader's name. */
const PICTURES = /^\/(?:icons|app)\//;

/** Whether a picture may be loaded: only files of this origin, as another site would learn who reads. */
export const isOwnPicture = ({ kind, href }: Address): boolean =>
  kind === "here" && PICTURES.test(new URL(href).pathname);
