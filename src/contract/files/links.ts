import { FILE_SCHEME } from "../file-limits.ts";

// How a text refers to files, here and in a folder of files.

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** Where a link or picture leads: after `](` or, of a link that is defined below the text, `]:`. */
const REFERENCE = new RegExp(`(\\]\\([ \\t]{0,3}<?|\\]:[ \\t]{0,3}<?)${FILE_SCHEME}(${UUID})`, "gi");

/** A text with other links in place of its references to files, where `linkOf` has one. */
export const withLinks = (text: string, linkOf: (id: string) => string | undefined): string =>
  text.replace(REFERENCE, (whole, before: string, id: string) => {
    const link = linkOf(id.toLowerCase());
    return link === undefined ? whole : before + link;
  });

/** A name in a link or a header (RFC 8187): what encodeURIComponent leaves, both may not have. */
export const encodedName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A link from a file in a folder, whose path ends with a slash, to another file of the same source. */
export function linkFrom(folder: string, path: string): string {
  const up = "../".repeat(folder.split("/").length - 1);
  return up + path.split("/").map(encodedName).join("/");
}
