import type { Document } from "../document.ts";
import { asItCame, keptSource, writtenFields } from "./as-it-came.ts";
import { type Fields, isObject, writingOf } from "./content.ts";
import type { FrontMatter } from "./front-matter.ts";
import { withLinks } from "./links.ts";
import { isNumbered, safeName } from "./names.ts";
import { saidBy } from "./said.ts";
import { yamlOf } from "./yaml.ts";

// A document as a file, and what an import reads of it again.

export type Ending = "md" | "txt" | "json";

const TIMES = ["created_at", "updated_at"];

/** What only an import reads. A property of this name that a person has made is its `own`. */
const BLOCK = "commonplace";

type Noted = Pick<Document, "title" | "tags" | "content" | "created_at" | "updated_at">;

/** Front matter of these fields, and the text. */
const withFrontMatter = (fields: Fields, text: string) => `---\n${yamlOf(fields)}---\n${text}`;

/** Where a document is: the names of its folders, and links to the files that it names, and to those attached to it. */
type Around = {
  folders: string[];
  files?: string[];
  /** A link to a file, if it is there. */
  linkOf?: (id: string) => string | undefined;
};

/** A text with its title, tags, times, properties and further fields as front matter, and what is around it. */
function markdownOf(
  { title, tags, content, created_at, updated_at }: Noted,
  { folders, files = [], linkOf = () => undefined }: Around,
): string {
  const dates = { created_at, updated_at };
  const around = { folder: folders, ...(files.length > 0 && { files }) };
  const came = asItCame({ title, tags, content }, { ...around, ...dates });
  if (came) return came.head + withLinks(came.text, linkOf);
  const own = { title, ...(tags.length > 0 && { tags }), ...dates };
  const { title: _title, tags: _tags, ...given } = writtenFields(content);
  const block = { ...around, ...(Object.hasOwn(given, BLOCK) && { own: given[BLOCK] }) };
  const fields = { ...own, ...given, [BLOCK]: block };
  return withFrontMatter(fields, withLinks(writingOf(content).text, linkOf));
}

/** A document as a file: Markdown with front matter, text as it is, or any other content as JSON. */
export function fileOf(document: Noted, around: Around): { ending: Ending; text: string } {
  const { kind, text } = writingOf(document.content);
  if (kind === "markdown") return { ending: "md", text: markdownOf(document, around) };
  return { ending: kind === "text" ? "txt" : "json", text };
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

/** What `fileOf` has written, besides what any note has. Undefined for a note of another program. */
export type OwnNote = {
  /** Undefined if it says none any more. */
  title: string | undefined;
  tags: string[];
  folders: string[];
  /** Links to the files attached to it. */
  files: string[];
  /** The properties that a person gave it. */
  properties: Fields;
  /** The front matter that it came with, and its times beside that. */
  source?: string | undefined;
  times?: Fields;
};

/** Of a note that came with front matter of its own: that without our block. */
function readAsItCame(front: FrontMatter, block: Fields): Omit<OwnNote, "folders" | "files"> {
  const { created_at, updated_at, title, tags } = block;
  const said = saidBy(front);
  const { commonplace: _, ...properties } = said.properties;
  return {
    title: typeof title === "string" ? title : said.title,
    tags: isNames(tags) ? tags : said.tags,
    properties,
    source: keptSource(withoutBlock(front)),
    times: { created_at, updated_at },
  };
}

/** Where our block begins, which is the last one of TOML. */
function blockIn(toml: string): number {
  const start = `\n${toml}`.lastIndexOf("\n[commonplace]");
  return start < 0 ? toml.length : start;
}

const withoutBlock = ({ fields: { commonplace: _, ...fields }, ...front }: FrontMatter): FrontMatter => ({
  ...front,
  fields,
  entries: front.entries
    .filter(({ name }) => name !== "commonplace")
    .map((entry) =>
      front.language === "TOML" ? { ...entry, text: entry.text.slice(0, blockIn(entry.text)) } : entry,
    ),
});

/** Of a note that had none before we wrote it. */
function readOurs({
  title,
  tags = [],
  commonplace: block,
  ...data
}: Fields): Omit<OwnNote, "folders" | "files"> | undefined {
  if (typeof title !== "string" || title === "" || !isNames(tags)) return undefined;
  const isOurs = ([name, value]: [string, unknown]) => TIMES.includes(name) && TIMESTAMP.test(String(value));
  const properties = Object.fromEntries(Object.entries(data).filter((entry) => !isOurs(entry)));
  const theirs = isObject(block) && Object.hasOwn(block, "own") ? { [BLOCK]: block.own } : {};
  return { title, tags, properties: { ...properties, ...theirs } };
}

/** What front matter says that we wrote; undefined for that of another program. */
export function readOwn(front: FrontMatter): OwnNote | undefined {
  const { commonplace } = front.fields;
  if (!isObject(commonplace) || !isNames(commonplace.folder)) return undefined;
  const { folder: folders, files = [] } = commonplace;
  const read = "created_at" in commonplace ? readAsItCame(front, commonplace) : readOurs(front.fields);
  return read && { ...read, folders, files: isNames(files) ? files : [] };
}

/** The folders of a file's path by their own names, if the file is still where these say. */
export function namesOf(path: readonly string[], folders: readonly string[]): string[] {
  const start = path.length - folders.length;
  const isThere = folders.every((name, index) => isNumbered(path[start + index] ?? "", safeName(name)));
  return isThere ? [...path.slice(0, start), ...folders] : [...path];
}
