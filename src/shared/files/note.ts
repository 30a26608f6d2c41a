import type { Document } from "../../contract/document.ts";
import { omit } from "../../contract/omit.ts";
import { editableContent, type FieldValues, isObject } from "./content.ts";
import type { FrontMatter } from "./front-matter.ts";
import { replaceFileLinks } from "./links.ts";
import { isNumberedVariant, safeFileName } from "./names.ts";
import { readNoteMetadata } from "./note-metadata.ts";
import { frontMatterFields, reusableSource, withOriginalFrontMatter } from "./original-front-matter.ts";
import { toYaml } from "./yaml.ts";

// Writes a document as a file, and reads such a file again in an import.

export type FileEnding = "md" | "txt" | "json";

const TIMES = ["created_at", "updated_at"];

/** The front matter field for imports. A property of this name that a person has created is kept in its `own`. */
const BLOCK = "commonplace";

type NoteDocument = Pick<Document, "title" | "tags" | "content" | "created_at" | "updated_at">;

const withFrontMatter = (fields: FieldValues, text: string) => `---\n${toYaml(fields)}---\n${text}`;

type FileContext = {
  /** Names of its folders, from the top. */
  folders: string[];
  /** Links to the files attached to it. */
  files?: string[];
  /** The link to a file that the text refers to, if it is exported. */
  linkOf?: (id: string) => string | undefined;
};

function renderMarkdown(
  { title, tags, content, created_at, updated_at }: NoteDocument,
  { folders, files = [], linkOf = () => undefined }: FileContext,
): string {
  const dates = { created_at, updated_at };
  const context = { folder: folders, ...(files.length > 0 && { files }) };
  const original = withOriginalFrontMatter({ title, tags, content }, { ...context, ...dates });
  if (original) return original.frontMatter + replaceFileLinks(original.text, linkOf);
  const own = { title, ...(tags.length > 0 && { tags }), ...dates };
  const extraProperties = omit(frontMatterFields(content), "title", "tags");
  const block = { ...context, ...(Object.hasOwn(extraProperties, BLOCK) && { own: extraProperties[BLOCK] }) };
  const fields = { ...own, ...extraProperties, [BLOCK]: block };
  return withFrontMatter(fields, replaceFileLinks(editableContent(content).text, linkOf));
}

/** A document as a file: Markdown with front matter, plain text unchanged, or other content as JSON. */
export function renderDocumentFile(
  document: NoteDocument,
  context: FileContext,
): { ending: FileEnding; text: string } {
  const { kind, text } = editableContent(document.content);
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
  files: string[];
  properties: FieldValues;
  /** The original front matter, and the times that it does not contain. */
  source?: string | undefined;
  times?: FieldValues;
};

function readWithOriginal(front: FrontMatter, block: FieldValues): Omit<OwnNote, "folders" | "files"> {
  const { created_at, updated_at, title, tags } = block;
  const metadata = readNoteMetadata(front);
  const { commonplace: _, ...properties } = metadata.properties;
  return {
    title: typeof title === "string" ? title : metadata.title,
    tags: isStringList(tags) ? tags : metadata.tags,
    properties,
    source: reusableSource(withoutBlock(front)),
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
}: FieldValues): Omit<OwnNote, "folders" | "files"> | undefined {
  if (typeof title !== "string" || title === "" || !isStringList(tags)) return undefined;
  const isOurs = ([name, value]: [string, unknown]) => TIMES.includes(name) && TIMESTAMP.test(String(value));
  const properties = Object.fromEntries(Object.entries(data).filter((entry) => !isOurs(entry)));
  const ownProperty = isObject(block) && Object.hasOwn(block, "own") ? { [BLOCK]: block.own } : {};
  return { title, tags, properties: { ...properties, ...ownProperty } };
}

/** Reads front matter that we wrote; undefined if another program wrote it. */
export function readOwnNote(front: FrontMatter): OwnNote | undefined {
  const { commonplace } = front.fields;
  if (!isObject(commonplace) || !isStringList(commonplace.folder)) return undefined;
  const { folder: folders, files = [] } = commonplace;
  const read =
    "created_at" in commonplace ? readWithOriginal(front, commonplace) : readGenerated(front.fields);
  return read && { ...read, folders, files: isStringList(files) ? files : [] };
}

/** The folder path of a file with the original folder names, if the file has not been moved. */
export function originalFolderNames(path: readonly string[], folders: readonly string[]): string[] {
  const start = path.length - folders.length;
  const isThere = folders.every((name, index) =>
    isNumberedVariant(path[start + index] ?? "", safeFileName(name)),
  );
  return isThere ? [...path.slice(0, start), ...folders] : [...path];
}
