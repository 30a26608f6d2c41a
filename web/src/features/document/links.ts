// Which URLs in a document may become links and pictures.

import { APP_PATHS } from "../../../../src/contract/paths.ts";

const SCREENS = new RegExp(`^/${APP_PATHS}$`);

type LinkTarget = { kind: "screen" | "here" | "elsewhere" | "anchor" | "refused"; href: string };

/** Allowed schemes. Links with any other, such as `javascript:`, are shown as text. */
const SCHEMES = ["http:", "https:", "mailto:"];

/** Classifies a URL in a document. Relative URLs other than absolute paths have no meaning there and are refused. */
export function resolveLink(href: string, origin: string): LinkTarget {
  if (href.startsWith("#")) return { kind: "anchor", href };
  if (!/^(?:\/|[a-z][a-z0-9+.-]*:)/i.test(href) || !URL.canParse(href, origin)) {
    return { kind: "refused", href };
  }
  const url = new URL(href, origin);
  if (!SCHEMES.includes(url.protocol)) return { kind: "refused", href };
  if (url.origin !== origin) return { kind: "elsewhere", href: url.href };
  const path = `${url.pathname}${url.search}${url.hash}`;
  // A path may begin with two slashes, which alone would be read as another host, so the full URL is returned.
  return SCREENS.test(url.pathname) ? { kind: "screen", href: path } : { kind: "here", href: url.href };
}

/** The heading that a link within the text points to. Invalid percent-encoding is taken literally. */
export function headingFromHash(href: string): string {
  try {
    return decodeURIComponent(href.slice(1));
  } catch {
    return href.slice(1);
  }
}

/** Folders with picture files. Loading any other path would send a request to the service with the reader's credentials. */
const PICTURES = /^\/(?:icons|app)\//;

/** Whether a picture may be loaded: only files of this origin, because another site would learn who reads the document. */
export const isOwnPicture = ({ kind, href }: LinkTarget): boolean =>
  kind === "here" && PICTURES.test(new URL(href).pathname);
