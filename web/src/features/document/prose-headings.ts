import type { Element, Root, RootContent } from "hast";
import { titleText } from "../../kit/text.ts";

// Headings of rendered Markdown get ids for links and the outline, and levels below the page's title.

const textOf = (node: RootContent | Root): string =>
  node.type === "text" ? node.value : "children" in node ? node.children.map(textOf).join("") : "";

/** A heading's text in the form used in URLs. */
export const headingSlug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replace(/\s+/g, "-");

/** The id of a heading. The prefix avoids collisions with other ids of the page. */
export const headingId = (slug: string) => `h-${slug}`;

const levelOf = (node: RootContent) =>
  node.type === "element" && /^h[1-6]$/.test(node.tagName) ? Number(node.tagName[1]) : undefined;

const headingsIn = (node: Root | Element): Element[] =>
  node.children.flatMap((child) => {
    if (child.type !== "element") return [];
    return levelOf(child) === undefined ? headingsIn(child) : [child];
  });

/** Removes a first heading that repeats the title. */
function withoutTitle(root: Root, title: string): void {
  const first = root.children.findIndex((node) => node.type === "element");
  const node = root.children[first];
  if (node && levelOf(node) === 1 && [title.trim(), titleText(title)].includes(textOf(node).trim()))
    root.children.splice(first, 1);
}

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

/** A rehype plugin: headings get unique ids, and levels at most one below the previous heading, for screen readers. */
export const addHeadingIds =
  ({ title }: { title: string }) =>
  (root: Root): void => {
    withoutTitle(root, title);
    const idOf = uniqueIds();
    // The source levels of the enclosing headings.
    const above: number[] = [];
    for (const heading of headingsIn(root)) {
      const slug = headingSlug(textOf(heading)) || "section";
      const level = levelOf(heading) ?? 1;
      while (level <= (above.at(-1) ?? 0)) above.pop();
      above.push(level);
      heading.tagName = `h${Math.min(above.length + 1, 6)}`;
      heading.properties.id ??= idOf(slug);
    }
  };
