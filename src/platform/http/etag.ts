/** The entity tag of a version (RFC 9110 section 8.8.3). */
export const etagOf = (version: number) => `"v${version}"`;

const parseTags = (header: string) => header.split(",").map((tag) => tag.trim());

/** Whether `If-None-Match` names an entity tag, by weak comparison (RFC 9110 section 13.1.2). */
export const matchesEtag = (header: string | undefined, etag: string) =>
  header !== undefined && parseTags(header).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);

export const matchesVersion = (header: string | undefined, version: number) =>
  matchesEtag(header, etagOf(version));

/** Whether `If-Match` allows a change of this version, by strong comparison (RFC 9110 section 13.1.1). */
export const allowsChange = (header: string | undefined, version: number) =>
  header === undefined || parseTags(header).some((tag) => tag === "*" || tag === etagOf(version));

/** The versions for which `If-Match` allows a change, or undefined if it allows any. */
export const versionsAllowedBy = (header: string | undefined): number[] | undefined =>
  header === undefined || parseTags(header).includes("*")
    ? undefined
    : parseTags(header).flatMap((tag) => {
        const version = /^"v(\d{1,15})"$/.exec(tag)?.[1];
        return version === undefined ? [] : [Number(version)];
      });
