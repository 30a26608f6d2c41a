// The names of records in answers of tools, and the addresses that people open.

export type Kind = "document" | "memory";
/** `part` counts from 1: a long text is read in several. */
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
 * What an id names: `doc:<uuid>`, `mem:<number>`, either of them bare, or one of our addresses; with `#2` behind it, the
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

/** The id under which tools answer a record. */
export const nameOf = ({ kind, id }: Named) => (kind === "document" ? `doc:${id}` : `mem:${id}`);

/** The page on which a person reads a record. */
export const urlOf = (base: string, { kind, id }: Named) =>
  `${base}/open/${kind === "document" ? "doc" : "memory"}/${id}`;
