import { OPENED, SCREENS } from "./paths.ts";

// The ids of records in tools' answers, and the URLs that people open.

export type Kind = "document" | "memory";
/** A reference to a record, to a part of a long one, or to an earlier version; `part` counts from 1. */
export type Reference = { kind: Kind; id: string; part: number; version?: number };
type Named = Pick<Reference, "kind" | "id" | "version">;

const PREFIXES = { document: "doc", memory: "mem", folder: "folder" } as const;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const NUMBER = "[1-9]\\d{0,15}";

/** Finds the id in a URL of one of these paths, which end with it, on any host. */
function urlAt(paths: string[], id: string): RegExp {
  const folders = paths.map((path) => path.replace("/:id", "")).join("|");
  return new RegExp(`^https?://[^/]+(?:${folders})/(${id})/?$`, "i");
}

const FORMS: [RegExp, Kind][] = [
  [new RegExp(`^(?:doc(?:ument)?:(?://)?)?(${UUID})$`, "i"), "document"],
  [new RegExp(`^(?:mem(?:ory)?:(?://)?)?(${NUMBER})$`, "i"), "memory"],
  [urlAt([OPENED.document, SCREENS.document.path, "/api/documents/:id"], UUID), "document"],
  [urlAt([OPENED.memory, SCREENS.record.path, "/api/memories/:id"], NUMBER), "memory"],
];

const WHOLE = /^(.*?)(?:@([1-9]\d{0,11}))?(?:#([1-9]\d{0,3}))?$/;

/** `doc:<uuid>`, `mem:<number>`, either without its prefix, or one of our URLs. After it `@3` is a version, `#2` a part. */
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
export const urlOf = (base: string, { kind, id }: Named) => base + OPENED[kind].replace(":id", () => id);
