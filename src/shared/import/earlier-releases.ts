import { parse } from "yaml";
import { isTag, MAX_TAGS } from "../../contract/tag-rule.ts";
import { isObject } from "../files/content.ts";
import { splitFrontMatter, unreadFrontMatter } from "../files/front-matter.ts";
import { parseTags } from "../files/note-metadata.ts";
import { fitTitle, type ImportItem, shortDigest, textContent } from "./item.ts";
import { firstHeading } from "./markdown.ts";
import { defaultTitle } from "./paths.ts";

// How earlier releases read front matter: `007` was a number, `tag` and `Title` were properties, and one invalid line made all of
// it text. Needed to recognize files that those releases imported.

/** Title, tags and content digest of a note as one release read them. */
export type NoteReading = { title: string; tags: string[]; content: number };

const FRONT_MATTER = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;

function split(text: string): { data: Record<string, unknown>; body: string } {
  const found = FRONT_MATTER.exec(text);
  try {
    const data: unknown = found && (parse(found[1] ?? "", { logLevel: "error" }) ?? {});
    if (found && isObject(data)) return { data, body: text.slice(found[0].length) };
  } catch {
    // Invalid YAML: all of it was text.
  }
  return { data: {}, body: text };
}

const tagsOf = (value: unknown) => parseTags(typeof value === "string" ? value.split(",") : value);

/**
 * A note as earlier releases read it; undefined unless the source of its front matter is kept. `given`: tags that the import adds
 * to every item.
 */
export function readAsEarlierRelease(
  { content, path }: ImportItem,
  given: readonly string[],
): NoteReading | undefined {
  const { front_matter_source: source, text } = content;
  if (typeof source !== "string" || typeof text !== "string") return undefined;
  const parsed = splitFrontMatter(source)?.front;
  const { data, body } = split(source + text.slice(parsed ? unreadFrontMatter(parsed).length : 0));
  const { title, tags, ...properties } = data;
  const statedTitle = String(title ?? "").trim();
  const fields = Object.keys(properties).length > 0 && { front_matter: properties };
  const names = [...new Set([...given, ...tagsOf(tags)])].filter((tag) => isTag(tag)).slice(0, MAX_TAGS);
  return {
    title: fitTitle(statedTitle || (firstHeading(body) ?? defaultTitle(path))).title,
    tags: names,
    content: shortDigest(JSON.stringify({ ...textContent(body), ...fields })),
  };
}
