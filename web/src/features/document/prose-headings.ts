import type { Element, Root, RootContent } from "hast";
import { COMMENT_FILLER } from "../../../../src/shared/markdown/comments.ts";
import { shownWords } from "../../../../src/shared/markdown/note-links.ts";
import { plainLine } from "../../../../src/shared/markdown/plain-text.ts";
import { titleText } from "../../kit/title-text.ts";
import type { SourceHeading } from "./chunks.ts";

// Headings of rendered Markdown get ids for links and the outline, and levels below the page's title.

/** A heading as it is rendered, with the offset of its line. */
export type HeadingEntry = { start: number; id: string; level: number; text: string; isTitle: boolean };

export const textOf = (node: RootContent | Root): string =>
  node.type === "text" ? node.value : "children" in node ? node.children.map(textOf).join("") : "";

/** A heading's text in the form used in URLs. */
export const headingSlug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replace(/\s+/g, "-");

const MARKED = /==(?=\S)([^=\n]*[^=\s])==/g;

/** A heading's Markdown as the words that are shown. Its comments have to be blank. */
export const headingWords = (source: string): string =>
  plainLine(shownWords(source.replaceAll(COMMENT_FILLER, "")).replace(MARKED, "$1")).trim();

/** The id of a heading. The prefix avoids collisions with other ids of the page. */
export const headingId = (slug: string) => `h-${slug}`;

const levelOf = (node: RootContent) =>
  node.type === "element" && /^h[1-6]$/.test(node.tagName) ? Number(node.tagName[1]) : undefined;

const headingsIn = (node: Root | Element): Element[] =>
  node.children.flatMap((child) => {
    if (child.type !== "element") return [];
    return levelOf(child) === undefined ? headingsIn(child) : [child];
  });

/** Returns ids of headings; a repeated text gets a number. */
function uniqueIds(): (slug: string) => string {
  const used = new Set<string>();
  const times = new Map<string, number>();
  return (slug) => {
    let number = times.get(slug) ?? 0;
    let id = headingId(number ? `${slug}-${number}` : slug);
    while (used.has(id)) {
      number += 1;
      id = headingId(`${slug}-${number}`);
    }
    times.set(slug, number + 1);
    used.add(id);
    return id;
  };
}

/** Whether a heading, in the words that are shown, is the title. */
export const isTitleHeading = (heading: string, title: string): boolean =>
  [title.trim(), titleText(title)].includes(heading);

/** Whether the first heading repeats the title, and is not rendered. */
const repeatsTitle = (text: string, { depth, start }: SourceHeading, heading: string, title: string) =>
  depth === 1 && text.slice(0, start).trim() === "" && isTitleHeading(heading, title);

/** The headings of a text with unique ids, and levels at most one below the previous heading, for screen readers. */
export function headingEntries(
  headings: readonly SourceHeading[],
  title: string,
  text: string,
): HeadingEntry[] {
  const idOf = uniqueIds();
  // The source levels of the enclosing headings.
  const above: number[] = [];
  return headings.map((heading, index) => {
    const { depth, start } = heading;
    const shown = headingWords(heading.text);
    if (index === 0 && repeatsTitle(text, heading, shown, title))
      return { start, id: "", level: 1, text: shown, isTitle: true };
    while (depth <= (above.at(-1) ?? 0)) above.pop();
    above.push(depth);
    const level = Math.min(above.length + 1, 6);
    return { start, id: idOf(headingSlug(shown) || "section"), level, text: shown, isTitle: false };
  });
}

/** A rehype plugin that gives the headings of a chunk their ids and levels. */
export const placeHeadings =
  ({ headings }: { headings: readonly HeadingEntry[] }) =>
  (root: Root): void => {
    const dropped = new Set<Element>();
    for (const element of headingsIn(root)) {
      const at = element.position?.start.offset;
      const entry = at === undefined ? undefined : headings.findLast(({ start }) => start <= at);
      if (entry?.isTitle) dropped.add(element);
      element.tagName = `h${entry?.level ?? Math.min((levelOf(element) ?? 1) + 1, 6)}`;
      element.properties.id ??= entry?.id || headingId(headingSlug(textOf(element)) || "section");
    }
    root.children = root.children.filter((node) => !dropped.has(node as Element));
  };
