import { parse } from "yaml";
import { readOwn } from "../files/note.ts";
import { headingsOf } from "../markdown/headings.ts";
import { plainText } from "../markdown/plain-text.ts";
import { asName } from "../name-key.ts";
import { isTag, MAX_TAGS } from "../tag-rule.ts";
import { fitTitle, messageOf, prose } from "./item.ts";
import { extname, noteName } from "./paths.ts";

const FRONT_MATTER = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;

type FrontMatter = Record<string, unknown>;

/** Splits a text into its YAML front matter and the rest. Throws if the front matter is not valid YAML. */
export function splitFrontMatter(text: string): { data: FrontMatter; body: string } {
  const found = FRONT_MATTER.exec(text);
  const data: unknown = found && parse(found[1] ?? "", { prettyErrors: true });
  // Two horizontal rules with prose between them are not front matter.
  if (!found || (data !== null && (typeof data !== "object" || Array.isArray(data))))
    return { data: {}, body: text };
  return { data: (data ?? {}) as FrontMatter, body: text.slice(found[0].length) };
}

/** The same, but front matter that is not valid YAML stays part of the text. */
function split(text: string, notes: string[]): { data: FrontMatter; body: string } {
  try {
    return splitFrontMatter(text);
  } catch (problem) {
    const [reason] = messageOf(problem).split("\n");
    notes.push(`its front matter is not valid YAML, so its tags and dates were not read: ${reason}`);
    return { data: {}, body: text };
  }
}

/** The tags in front matter: a list, or names separated by commas. A leading `#` is not part of a tag. */
export function tagsOf(value: unknown): string[] {
  const names = typeof value === "string" ? value.split(",") : [value].flat();
  return names
    .filter((name) => name !== null && name !== undefined)
    .map((name) => String(name).trim().replace(/^#/, ""))
    .filter((name) => name !== "");
}

export function fitTags(tags: string[], notes: string[]): string[] {
  const known = new Set(tags.map(asName));
  const good = [...known].filter((tag) => isTag(tag));
  if (good.length < known.size)
    notes.push(
      `${known.size - good.length} of its tags were left out: longer than 64 characters, or . or ..`,
    );
  if (good.length > MAX_TAGS) notes.push(`only the first ${MAX_TAGS} of its ${good.length} tags were used`);
  return good.slice(0, MAX_TAGS);
}

const MAX_HEADING = 4000;
const IMAGE = /!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])?/g;
const REFERENCE = /\[([^[\]]*)\](?:\[[^[\]]*\]|\([^()]*\))/g;

const TAG = /(`+[^`]*`+)|<\/?[a-z][^<>]*>/gi;

const spaced = (text: string) => text.replace(/\s+/g, " ").trim();
const squeezed = (text: string) => spaced(plainText(text));

/** A heading as a title: its words, without marks, tags and images. One that is only an image has its description. */
function titleOf(heading: string): string {
  const source = spaced(heading)
    .slice(0, MAX_HEADING)
    .replace(TAG, (_, code?: string) => code ?? "");
  return squeezed(source.replace(IMAGE, "").replace(REFERENCE, "$1")) || squeezed(source);
}

export const firstHeading = (text: string): string | undefined =>
  titleOf(headingsOf(text)[0]?.text ?? "") || undefined;

/** The title of a note: as it says, or else its first heading or its file's name. */
function titleIn(given: unknown, body: string, path: string): string {
  const said = given === null || given === undefined ? "" : String(given).trim();
  return said || (extname(path).toLowerCase() === ".txt" ? undefined : firstHeading(body)) || noteName(path);
}

/** What is read of front matter: of a file of our own export all that it says, as it says it. */
function readData(data: FrontMatter, body: string, path: string) {
  const { title, tags, ...properties } = data;
  const own = readOwn(data);
  if (own) return { ...own, isOwn: true };
  const read = { title: titleIn(title, body, path), tags: tagsOf(tags), folders: [], properties };
  return { ...read, files: [], isOwn: false };
}

/** Reads the contents of a text file. Front matter and headings are read in Markdown only. */
export function readText(text: string, path: string, tags: string[]) {
  const notes: string[] = [];
  const isPlain = extname(path).toLowerCase() === ".txt";
  const { data, body } = isPlain ? { data: {}, body: text } : split(text, notes);
  const { title, tags: own, folders, properties, files, isOwn } = readData(data, body, path);
  const fitted = fitTitle(title);
  return {
    data,
    folders,
    title: fitted.title,
    content: {
      ...prose(body, isPlain ? "text" : "markdown"),
      ...(Object.keys(properties).length > 0 && { front_matter: properties }),
    },
    tags: fitTags([...tags, ...own], notes),
    ...(isOwn && { isOwn, attached: files }),
    notes: [...notes, ...fitted.notes],
  };
}
