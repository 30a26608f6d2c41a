import { stringify } from "yaml";
import type { Document } from "../document.ts";
import { type Fields, isObject, otherFields, propertiesOf, writingOf } from "./content.ts";
import { withLinks } from "./links.ts";
import { isNumbered, safeName } from "./names.ts";

// A document as a file, and what an import reads of it again.

export type Ending = "md" | "txt" | "json";

/** What a file with front matter has, besides its text and the properties that people give it. */
const OWN = ["title", "tags", "created_at", "updated_at", "commonplace"];

type Noted = Pick<Document, "title" | "tags" | "content" | "created_at" | "updated_at">;

const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** To write more than this nicely would keep a thread busy for seconds. */
const MOST_WRITTEN_NICELY = 20_000;

const NOT_PRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A value as JSON, which is YAML where all of it is printable. */
const flow = (value: unknown) =>
  JSON.stringify(value).replace(
    NOT_PRINTABLE,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function yamlOf(fields: Fields): string {
  const isShort = JSON.stringify(fields).length <= MOST_WRITTEN_NICELY;
  if (isShort) return stringify(fields, { lineWidth: 0, aliasDuplicateObjects: false });
  return Object.entries(fields)
    .map(([name, value]) => `? ${flow(name)}\n: ${flow(value)}\n`)
    .join("");
}

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
  const fields = { ...otherFields(content), ...propertiesOf(content) };
  const dates = { created_at, updated_at };
  const own = { title, ...(tags.length > 0 && { tags }), ...dates };
  const given = without(fields, ["title", "tags", "commonplace"]);
  const commonplace = { folder: folders, ...(files.length > 0 && { files }) };
  return withFrontMatter({ ...own, ...given, commonplace }, withLinks(writingOf(content).text, linkOf));
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
  title: string;
  tags: string[];
  folders: string[];
  /** Links to the files attached to it. */
  files: string[];
  /** The properties that a person gave it. */
  properties: Fields;
};

export function readOwn(data: Fields): OwnNote | undefined {
  const { title, tags = [], commonplace } = data;
  if (!isObject(commonplace) || !isNames(commonplace.folder) || !isNames(tags)) return undefined;
  const { folder: folders, files = [] } = commonplace;
  if (typeof title !== "string" || title === "") return undefined;
  const isOurs = ([name, value]: [string, unknown]) =>
    OWN.includes(name) && (!name.endsWith("_at") || TIMESTAMP.test(String(value)));
  const properties = Object.fromEntries(Object.entries(data).filter((entry) => !isOurs(entry)));
  return { title, tags, folders, files: isNames(files) ? files : [], properties };
}

/** The folders of a file's path by their own names, if the file is still where these say. */
export function namesOf(path: readonly string[], folders: readonly string[]): string[] {
  const start = path.length - folders.length;
  const isThere = folders.every((name, index) => isNumbered(path[start + index] ?? "", safeName(name)));
  return isThere ? [...path.slice(0, start), ...folders] : [...path];
}
