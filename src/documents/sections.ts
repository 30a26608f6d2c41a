import type { Heading, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { frontmatterFromMarkdown } from "mdast-util-frontmatter";
import { toString as plainText } from "mdast-util-to-string";
import { frontmatter } from "micromark-extension-frontmatter";

/**
 * A heading and what is below it, up to the next heading of its level or above: positions in the text. The body
 * begins after the heading's line.
 */
export type Section = { depth: number; name: string; start: number; bodyStart: number; end: number };

const FORMATS = ["yaml", "toml"] as const;

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

const startOf = (node: RootContent) => node.position?.start.offset ?? 0;
const endOf = (node: RootContent) => node.position?.end.offset ?? 0;

/** Where the line after a position begins. */
function nextLine(text: string, position: number): number {
  const lineEnd = /\r\n|\n|\r/g;
  lineEnd.lastIndex = position;
  return lineEnd.test(text) ? lineEnd.lastIndex : text.length;
}

/**
 * The sections of a Markdown text in order. Only headings of the text itself count, not those within quotations,
 * lists or code; front matter is none.
 */
export function sectionsOf(text: string): Section[] {
  const tree = fromMarkdown(text, {
    extensions: [frontmatter([...FORMATS])],
    mdastExtensions: [frontmatterFromMarkdown([...FORMATS])],
  });
  const headings = tree.children.filter((node): node is Heading => node.type === "heading");
  return headings.map((heading, index) => {
    const next = headings.slice(index + 1).find(({ depth }) => depth <= heading.depth);
    return {
      depth: heading.depth,
      name: oneLine(plainText(heading)),
      start: startOf(heading),
      bodyStart: nextLine(text, endOf(heading)),
      end: next ? lineStart(text, startOf(next)) : text.length,
    };
  });
}

/** Where the line of a position begins: a heading may be indented by up to three spaces. */
function lineStart(text: string, position: number): number {
  return Math.max(text.lastIndexOf("\n", position - 1), text.lastIndexOf("\r", position - 1)) + 1;
}

/** The sections that a name means: a heading's text, with its `#` signs to mean only that level. */
export function findSections(sections: Section[], name: string): Section[] {
  const [, signs = "", rest = ""] = /^\s*(#{1,6}(?=\s))?(.*)$/s.exec(name) ?? [];
  const [asHeading] = sectionsOf(`# ${oneLine(rest).replace(/ #+$/, "")}`);
  const wanted = new Set([oneLine(rest), asHeading?.name]);
  return sections.filter(
    (section) => wanted.has(section.name) && (signs === "" || section.depth === signs.length),
  );
}
