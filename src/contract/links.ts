import { OPENED, SCREENS } from "./paths.ts";

// The ids of records in tools' answers, and the URLs that people open.

export type Kind = "document" | "memory";
/** A reference to a record, to a section or a part of a long one, or to an earlier version; `part` counts from 1. */
export type Reference = { kind: Kind; id: string; part: number; version?: number; section?: string };
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

const WHOLE = /^(.*?)(?:@([1-9]\d{0,11}))?(?:#(.*))?$/s;
const PART = /^([1-9]\d{0,3})$/;
const SECTION = /^(.*?)(?:#([1-9]\d{0,3}))?$/s;

function placeIn(fragment: string): Pick<Reference, "part" | "section"> {
  const [, number] = PART.exec(fragment) ?? [];
  if (number) return { part: Number(number) };
  const [, name = "", part = "1"] = SECTION.exec(fragment) ?? [];
  return { part: Number(part), ...(name.trim() && { section: name.trim() }) };
}

/** What stands before `@3`, `#2` and `#Heading`, and what they say. */
export function splitPlace(sent: string): { name: string; place: Omit<Reference, "kind" | "id"> } {
  const [, name = "", version, fragment = ""] = WHOLE.exec(sent.trim()) ?? [];
  return { name, place: { ...placeIn(fragment), ...(version && { version: Number(version) }) } };
}

/**
 * `doc:<uuid>`, `mem:<number>`, either without its prefix, or one of our URLs. After it `@3` is a version, `#2` a part,
 * `#Heading` a section.
 */
export function readReference(id: string): Reference | undefined {
  const { name, place } = splitPlace(id);
  for (const [form, kind] of FORMS) {
    const found = form.exec(name)?.[1];
    if (!found) continue;
    return { kind, id: found.toLowerCase(), ...place };
  }
  return undefined;
}

/** A file, from a page of its text on. */
export type FileReference = { id: string; page: number };

const FILE = new RegExp(
  `^(?:file:(?://)?|https?://[^/]+/api/files/)(${UUID})/?(?:#(?:page=)?([1-9]\\d{0,5}))?$`,
  "i",
);

/** `file:<uuid>` or the URL of a file; after it `#3` is a page. */
export function readFileReference(id: string): FileReference | undefined {
  const [, found, page = "1"] = FILE.exec(id.trim()) ?? [];
  return found ? { id: found.toLowerCase(), page: Number(page) } : undefined;
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
