// The names of records in answers of tools, and the addresses that people open.

export type Reference = { kind: "document" | "memory"; id: string };

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const NUMBER = "[1-9]\\d{0,15}";

const FORMS: [RegExp, Reference["kind"]][] = [
  [new RegExp(`^(?:doc:(?://)?)?(${UUID})$`, "i"), "document"],
  [new RegExp(`^(?:mem(?:ory)?:(?://)?)?(${NUMBER})$`, "i"), "memory"],
  [new RegExp(`^https?://[^/]+/(?:open/doc|api/documents)/(${UUID})/?$`, "i"), "document"],
  [new RegExp(`^https?://[^/]+/(?:open/memory|api/memories)/(${NUMBER})/?$`, "i"), "memory"],
];

/** What an id names: `doc:<uuid>`, `mem:<number>`, either of them bare, or one of our addresses. */
export function readReference(id: string): Reference | undefined {
  for (const [form, kind] of FORMS) {
    const found = form.exec(id.trim())?.[1];
    if (found) return { kind, id: found.toLowerCase() };
  }
  return undefined;
}

/** The id under which tools answer a record. */
export const nameOf = ({ kind, id }: Reference) => (kind === "document" ? `doc:${id}` : `mem:${id}`);

/** The page on which a person reads a record. */
export const urlOf = (base: string, { kind, id }: Reference) =>
  `${base}/open/${kind === "document" ? "doc" : "memory"}/${id}`;
