import type { Document } from "../document.ts";
import { asItCame, keptSource, writtenFields } from "./as-it-came.ts";
import { type Fields, isObject, writingOf } from "./content.ts";
import type { FrontMatter } from "./front-matter.ts";
import { withLinks } from "./links.ts";
import { isNumbered, safeName } from "./names.ts";
import { saidBy } from "./said.ts";
import { yamlOf } from "./yaml.ts";

// Writes a document as a file, and reads such a file again in an import.

export type Ending = "md" | "txt" | "json";

const TIMES = ["created_at", "updated_at"];

/** The front matter field for imports. A property of this name that a person has created is kept in its `own`. */
const BLOCK = "commonplace";

type NoteDocument = Pick<Document, "title" | "tags" | "content" | "created_at" | "updated_at">;

/** Writes the fields as front matter before the text. */
const withFrontMatter = (fields: Fields, text: string) => `---\n${yamlOf(fields)}---\n${text}`;

/** The folders and files of a document. */
type FileContext = {
  /** Names of its folders, from the top. */
  folders: string[];
  /** Links to the files attached to it. */
  files?: string[];
  /** The link to a file that the text refers to, if it is exported. */
  linkOf?: (id: string) => string | undefined;
};

/** The text with title, tags, times, properties, further fields, folders and files as front matter. */
function renderMarkdown(
  { title, tags, content, created_at, updated_at }: NoteDocument,
  { folders, files = [], linkOf = () => undefined }: FileContext,
): string {
  const dates = { created_at, updated_at };
  const context = { folder: folders, ...(files.length > 0 && { files }) };
  const original = asItCame({ title, tags, content }, { ...context, ...dates });
  if (original) return original.head + withLinks(original.text, linkOf);
  const own = { title, ...(tags.length > 0 && { tags }), ...dates };
  const { title: _title, tags: _tags, ...extraProperties } = writtenFields(content);
  const block = { ...context, ...(Object.hasOwn(extraProperties, BLOCK) && { own: extraProperties[BLOCK] }) };
  const fields = { ...own, ...extraProperties, [BLOCK]: block };
  return withFrontMatter(fields, withLinks(writingOf(content).text, linkOf));
}

/** A document as a file: Markdown with front matter, plain text unchanged, or other content as JSON. */
export function fileOf(document: NoteDocument, context: FileContext): { ending: Ending; text: string } {
  const { kind, text } = writingOf(document.content);
  if (kind === "markdown") return { ending: "md", text: renderMarkdown(document, context) };
  return { ending: kind === "text" ? "txt" : "json", text };
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isStringList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

/** A note that `renderDocumentFile` has written. */
export type OwnNote = {
  /** Undefined if the title was removed. */
  title: string | undefined;
  tags: string[];
  folders: string[];
  /** Links to the files attached to it. */
  files: string[];
  /** Properties created by the person. */
  properties: Fields;
  /** The original front matter, and the times that it does not contain. */
  source?: string | undefined;
  times?: Fields;
};

/** Reads a note with original front matter, without our block. */
function readWithOriginal(front: FrontMatter, block: Fields): Omit<OwnNote, "folders" | "files"> {
  const { created_at, updated_at, title, tags } = block;
  const metadata = saidBy(front);
  const { commonplace: _, ...properties } = metadata.properties;
  return {
    title: typeof title === "string" ? title : metadata.title,
    tags: isStringList(tags) ? tags : metadata.tags,
    properties,
    source: keptSource(withoutBlock(front)),
    times: { created_at, updated_at },
  };
}

/** The start of our block, which is the last table in TOML. */
function blockStart(toml: string): number {
  const start = `\n${toml}`.lastIndexOf("\n[commonplace]");
  return start < 0 ? toml.length : start;
}

const withoutBlock = ({ fields: { commonplace: _, ...fields }, ...front }: FrontMatter): FrontMatter => ({
  ...front,
  fields,
  entries: front.entries
    .filter(({ name }) => name !== "commonplace")
    .map((entry) =>
      front.language === "TOML" ? { ...entry, text: entry.text.slice(0, blockStart(entry.text)) } : entry,
    ),
});

/** Reads a note whose front matter is all ours. */
function readGenerated({
  title,
  tags = [],
  commonplace: block,
  ...data
}: Fields): Omit<OwnNote, "folders" | "files"> | undefined {
  if (typeof title !== "string" || title === "" || !isStringList(tags)) return undefined;
  const isOurs = ([name, value]: [string, unknown]) => TIMES.includes(name) && TIMESTAMP.test(String(value));
  const properties = Object.fromEntries(Object.entries(data).filter((entry) => !isOurs(entry)));
  const ownProperty = isObject(block) && Object.hasOwn(block, "own") ? { [BLOCK]: block.own } : {};
  return { title, tags, properties: { ...properties, ...ownProperty } };
}

/** Reads front matter that we wrote; undefined if another program wrote it. */
export function readOwn(front: FrontMatter): OwnNote | undefined {
  const { commonplace } = front.fields;
  if (!isObject(commonplace) || !isStringList(commonplace.folder)) return undefined;
  const { folder: folders, files = [] } = commonplace;
  const read =
    "created_at" in commonplace ? readWithOriginal(front, commonplace) : readGenerated(front.fields);
  return read && { ...read, folders, files: isStringList(files) ? files : [] };
}

/** The folder path of a file with the original folder names, if the file has not been moved. */
export function namesOf(path: readonly string[], folders: readonly string[]): string[] {
  const start = path.length - folders.length;
  const isThere = folders.every((name, index) => isNumbered(path[start + index] ?? "", safeName(name)));
  return isThere ? [...path.slice(0, start), ...folders] : [...path];
}
