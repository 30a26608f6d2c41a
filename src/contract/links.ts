// The ids of records in tools' answers, and the URLs that people open.

export type Kind = "document" | "memory";
/**
 * A reference to a record, to a part of a long one, or to an earlier version; `part` counts from 1.
 */
export type Reference = { kind: Kind; id: string; part: number; version?: number };
type Named = Pick<Reference, "kind" | "id" | "version">;

const PREFIXES = { document: "doc", memory: "mem", folder: "folder" } as const;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const NUMBER = "[1-9]\\d{0,15}";

const FORMS: [RegExp, Kind][] = [
  [new RegExp(`^(?:doc(?:ument)?:(?://)?)?(${UUID})$`, "i"), "document"],
  [new RegExp(`^(?:mem(?:ory)?:(?://)?)?(${NUMBER})$`, "i"), "memory"],
  [new RegExp(`^https?://[^/]+/(?:open/doc|documents|api/documents)/(${UUID})/?$`, "i"), "document"],
  [new RegExp(`^https?://[^/]+/(?:open/memory|records|api/memories)/(${NUMBER})/?$`, "i"), "memory"],
];

const WHOLE = /^(.*?)(?:@([1-9]\d{0,11}))?(?:#([1-9]\d{0,3}))?$/;

/**
 * Parses an id: `doc:<uuid>`, `mem:<number>`, either without its prefix, or one of our URLs. `@3` after it means the
 * third version, `#2` the second part of a long text.
 */
export function readReference(id: string): Reference | undefined {
  const [, name = "", version, part = "1"] = WHOLE.exec(id.trim()) ?? [];
  for (const [form, kind] of FORMS) {
    const found = form.exec(name)?.[1];
    if (!found) continue;
    const of = version ? { version: Number(version) } : {};
    return { kind, id: found.toLowerCase(), part: Number(part), ...of };
  }
  return undefined;
}

/** The id of a document, memory record or folder, or of a version, in tools' answers. */
export const nameOf = ({
  kind,
  id,
  version,
}: Omit<Named, "kind" | "id"> & { kind: Kind | "folder"; id: string | number }) =>
  `${PREFIXES[kind]}:${id}${version ? `@${version}` : ""}`;

/** The URL of the page on which a person reads a record. */
export const urlOf = (base: string, { kind, id }: Named) =>
  `${base}/open/${kind === "document" ? "doc" : "memory"}/${id}`;
