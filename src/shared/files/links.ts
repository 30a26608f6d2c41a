import { FILE_SCHEME } from "../../contract/file-limits.ts";

// References to files in a text: in the service, and in a folder of exported files.

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** The target of a link or image, after `](` or, in a link definition, after `]:`. */
const REFERENCE = new RegExp(`(\\]\\([ \\t]{0,3}<?|\\]:[ \\t]{0,3}<?)${FILE_SCHEME}(${UUID})`, "gi");

export const replaceFileLinks = (text: string, linkOf: (id: string) => string | undefined): string =>
  text.replace(REFERENCE, (whole, before: string, id: string) => {
    const link = linkOf(id.toLowerCase());
    return link === undefined ? whole : before + link;
  });

/** Encodes a name for links and headers (RFC 8187), which also exclude characters that encodeURIComponent keeps. */
export const encodeFileName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A relative link from a file in `folder`, a path that ends with a slash, to another file of the same export. */
export function relativeLink(folder: string, path: string): string {
  const up = "../".repeat(folder.split("/").length - 1);
  return up + path.split("/").map(encodeFileName).join("/");
}
