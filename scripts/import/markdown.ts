import { readdir, readFile, stat } from "node:fs/promises";
import { basename, extname, join, relative, sep } from "node:path";
import { parse } from "yaml";
import { decode, type Found, messageOf, prose, type Target } from "./item.ts";
import { MAX_BODY_BYTES, tooLarge } from "./size.ts";

const MARKDOWN = /\.(md|markdown)$/i;
const FRONT_MATTER = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;
const CODE_BLOCK = /^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*\r?$/m;

type FrontMatter = Record<string, unknown>;

/** Splits a text into its YAML front matter and the rest. Throws when the front matter is not valid YAML. */
export function splitFrontMatter(text: string): { data: FrontMatter; body: string } {
  const found = FRONT_MATTER.exec(text);
  const data: unknown = found && parse(found[1] ?? "", { prettyErrors: true });
  // Two horizontal rules with prose between them are no front matter.
  if (!found || (data !== null && (typeof data !== "object" || Array.isArray(data))))
    return { data: {}, body: text };
  return { data: (data ?? {}) as FrontMatter, body: text.slice(found[0].length) };
}

/** The tags of a front matter: a list, or names between commas; a `#` in front is not part of a tag. */
export function tagsOf(value: unknown): string[] {
  const names = typeof value === "string" ? value.split(",") : [value].flat();
  return names
    .filter((name) => name !== null && name !== undefined)
    .map((name) => String(name).trim().replace(/^#/, ""))
    .filter((name) => name !== "");
}

/** The text of the first heading outside code blocks. */
export const firstHeading = (text: string) => HEADING.exec(text.replace(CODE_BLOCK, ""))?.[1] || undefined;

const MAX_TITLE = 500;

function titleOf(title: unknown, body: string, path: string): string {
  const given = title === null || title === undefined ? "" : String(title).trim();
  return given || (firstHeading(body) ?? basename(path, extname(path))).slice(0, MAX_TITLE);
}

async function readMarkdown(root: string, path: string, target: Target): Promise<Found> {
  const where = relative(root, path);
  try {
    const { size } = await stat(path);
    if (size > MAX_BODY_BYTES) return { where, why: tooLarge(size) };
    const { data, body } = splitFrontMatter(decode(await readFile(path)));
    const { title, tags, ...rest } = data;
    return {
      where,
      origin: path,
      title: titleOf(title, body, path),
      content: { ...prose(body), ...(Object.keys(rest).length > 0 && { front_matter: rest }) },
      tags: [...target.tags, ...tagsOf(tags)],
      folders: [...target.folders, ...where.split(sep).slice(0, -1)],
    };
  } catch (problem) {
    return { where, why: messageOf(problem) };
  }
}

const isHidden = (path: string) =>
  path.split(sep).some((name) => name.startsWith(".") || name === "node_modules");

/** Reads every Markdown file in a folder and the folders below it, by name. Hidden ones are left out. */
export async function* readFolder(root: string, target: Target): AsyncGenerator<Found> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && MARKDOWN.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !isHidden(relative(root, path)))
    .sort();
  for (const path of paths) yield readMarkdown(root, path, target);
}
