// The ids of records in tools' answers, and the URLs that people open.

export type Kind = "document" | "memory";
/** A reference to a record, or to a part of a long one; `part` counts from 1. */
export type Reference = { kind: Kind; id: string; part: number };
type Named = Pick<Reference, "kind" | "id">;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const NUMBER = "[1-9]\\d{0,15}";

const FORMS: [RegExp, Kind][] = [
  [new RegExp(`^(?:doc:(?://)?)?(${UUID})$`, "i"), "document"],
  [new RegExp(`^(?:mem(?:ory)?:(?://)?)?(${NUMBER})$`, "i"), "memory"],
  [new RegExp(`^https?://[^/]+/(?:open/doc|api/documents)/(${UUID})/?$`, "i"), "document"],
  [new RegExp(`^https?://[^/]+/(?:open/memory|api/memories)/(${NUMBER})/?$`, "i"), "memory"],
];

/**
 * Parses an id: `doc:<uuid>`, `mem:<number>`, either without its prefix, or one of our URLs. A trailing `#2` means the
 * second part of a long text.
 */
export function readReference(id: string): Reference | undefined {
  const [, name = "", part = "1"] = /^(.*?)(?:#([1-9]\d{0,3}))?$/.exec(id.trim()) ?? [];
  for (const [form, kind] of FORMS) {
    const found = form.exec(name)?.[1];
    if (found) return { kind, id: found.toLowerCase(), part: Number(part) };
  }
  return undefined;
}

/** The id of a record in tools' answers. */
export const nameOf = ({ kind, id }: Named) => (kind === "document" ? `doc:${id}` : `mem:${id}`);

/** The URL of the page on which a person reads a record. */
export const urlOf = (base: string, { kind, id }: Named) =>
  `${base}/open/${kind === "document" ? "doc" : "memory"}/${id}`;
