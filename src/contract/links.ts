import { OPEN_LINK_PATHS, SCREENS } from "./paths.ts";

// Ids of documents and memories in tool results, and the URLs that people open.

export type ReferenceKind = "document" | "memory";
/** A reference to a document or memory, or to a section, a part (from 1) or an earlier version of it. */
export type ItemReference = {
  kind: ReferenceKind;
  id: string;
  part: number;
  version?: number;
  section?: string;
};
type VersionReference = Pick<ItemReference, "kind" | "id" | "version">;

const PREFIXES = { document: "doc", memory: "mem", folder: "folder" } as const;

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const NUMBER = "[1-9]\\d{0,15}";

/** Matches the id in a URL on any host with one of these paths, which end with the id. */
function urlPattern(paths: string[], id: string): RegExp {
  const prefixes = paths.map((path) => path.replace("/:id", "")).join("|");
  return new RegExp(`^https?://[^/]+(?:${prefixes})/(${id})/?$`, "i");
}

const FORMS: [RegExp, ReferenceKind][] = [
  [new RegExp(`^(?:doc(?:ument)?:(?://)?)?(${UUID})$`, "i"), "document"],
  [new RegExp(`^(?:mem(?:ory)?:(?://)?)?(${NUMBER})$`, "i"), "memory"],
  [urlPattern([OPEN_LINK_PATHS.document, SCREENS.document.path, "/api/documents/:id"], UUID), "document"],
  [urlPattern([OPEN_LINK_PATHS.memory, SCREENS.record.path, "/api/memories/:id"], NUMBER), "memory"],
];

const WHOLE = /^(.*?)(?:@([1-9]\d{0,11}))?(?:#(.*))?$/s;
const PART = /^([1-9]\d{0,3})$/;
const SECTION = /^(.*?)(?:#([1-9]\d{0,3}))?$/s;

function parseFragment(fragment: string): Pick<ItemReference, "part" | "section"> {
  const [, number] = PART.exec(fragment) ?? [];
  if (number) return { part: Number(number) };
  const [, name = "", part = "1"] = SECTION.exec(fragment) ?? [];
  return { part: Number(part), ...(name.trim() && { section: name.trim() }) };
}

/** Splits a reference into the id or title, and the version, part and section after it. */
export function splitReference(sent: string): { name: string; place: Omit<ItemReference, "kind" | "id"> } {
  const [, name = "", version, fragment = ""] = WHOLE.exec(sent.trim()) ?? [];
  return { name, place: { ...parseFragment(fragment), ...(version && { version: Number(version) }) } };
}

/**
 * Parses `doc:<uuid>`, `mem:<number>`, either of them without the prefix, or a URL of the app or API, followed by `@3` for
 * a version, `#2` for a part or `#Heading` for a section.
 */
export function parseReference(id: string): ItemReference | undefined {
  const { name, place } = splitReference(id);
  for (const [form, kind] of FORMS) {
    const found = form.exec(name)?.[1];
    if (!found) continue;
    return { kind, id: found.toLowerCase(), ...place };
  }
  return undefined;
}

/** A file and the page from which to read its text. */
export type FileReference = { id: string; page: number };

const FILE = new RegExp(
  `^(?:file:(?://)?|https?://[^/]+/api/files/)(${UUID})/?(?:#(?:page=)?([1-9]\\d{0,5}))?$`,
  "i",
);

/** Parses `file:<uuid>` or the URL of a file, followed by `#3` for a page. */
export function parseFileReference(id: string): FileReference | undefined {
  const [, found, page = "1"] = FILE.exec(id.trim()) ?? [];
  return found ? { id: found.toLowerCase(), page: Number(page) } : undefined;
}

/** The id of a document, memory or folder, or of one of its versions, in tool results. */
export const prefixedId = ({
  kind,
  id,
  version,
}: Omit<VersionReference, "kind" | "id"> & { kind: ReferenceKind | "folder"; id: string | number }) =>
  `${PREFIXES[kind]}:${id}${version ? `@${version}` : ""}`;

/** The URL of the page on which people read a document or memory. */
export const recordUrl = (base: string, { kind, id }: VersionReference) =>
  base + OPEN_LINK_PATHS[kind].replace(":id", () => id);
