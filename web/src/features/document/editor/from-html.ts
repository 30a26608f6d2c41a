import { fromDom } from "hast-util-from-dom";
import { toMdast } from "hast-util-to-mdast";
import { gfmToMarkdown } from "mdast-util-gfm";
import { toMarkdown } from "mdast-util-to-markdown";

// Converts pasted rich text to Markdown. It is parsed in a separate document, which loads and runs nothing, and is never added
// to the page.

/** HTML without any of these elements is treated as plain text, such as from a code editor. */
const FORMATTED =
  "h1, h2, h3, h4, h5, h6, strong, b, em, i, del, s, a[href], ul, ol, table, blockquote, hr, code, img";

const unwrap = (element: Element) => element.replaceWith(...element.childNodes);

function wrap(element: Element, name: string): void {
  const outer = element.ownerDocument.createElement(name);
  outer.append(...element.childNodes);
  element.append(outer);
}

const isBold = (weight: string) => weight === "bold" || weight === "bolder" || Number(weight) >= 600;

/** The inline styles of an element. The Content-Security-Policy prevents the browser from parsing the attribute itself. */
function stylesOf(element: Element): CSSStyleDeclaration {
  const { style } = document.createElement("span");
  style.cssText = element.getAttribute("style") ?? "";
  return style;
}

function formatsOf({
  fontWeight,
  fontStyle,
  textDecoration,
  textDecorationLine,
}: CSSStyleDeclaration): string[] {
  const isStruck = `${textDecoration} ${textDecorationLine}`.includes("line-through");
  return [
    ...(isBold(fontWeight) ? ["strong"] : []),
    ...(fontStyle === "italic" ? ["em"] : []),
    ...(isStruck ? ["del"] : []),
  ];
}

/** Styles are ignored in these: headings are bold anyway, and code has no formatting. */
const UNSTYLED = "h1, h2, h3, h4, h5, h6, th, pre, code";

/** Office programs use styles for bold and italic, and some wrap everything in a `<b>` with normal weight. */
function convertStyles(page: Document): void {
  for (const bold of page.querySelectorAll("b[style]")) {
    const { fontWeight } = stylesOf(bold);
    if (fontWeight && !isBold(fontWeight)) unwrap(bold);
  }
  for (const span of page.querySelectorAll("span[style]")) {
    if (!span.textContent?.trim() || span.closest(UNSTYLED)) continue;
    for (const name of formatsOf(stylesOf(span))) wrap(span, name);
  }
}

/** URLs that work outside the page they come from. */
const isAbsolute = (href: string) => /^(?:https?:|mailto:)/i.test(href);

/** Makes the first row of a table without a header its header, because Markdown has no tables without one. */
function ensureHeader(table: HTMLTableElement): void {
  const first = table.rows[0];
  if (!first || table.querySelector("th")) return;
  for (const cell of [...first.cells]) {
    const head = table.ownerDocument.createElement("th");
    head.append(...cell.childNodes);
    cell.replaceWith(head);
  }
}

function clean(page: Document): void {
  for (const one of page.querySelectorAll("script, style, noscript, svg, button, iframe, object, [hidden]"))
    one.remove();
  convertStyles(page);
  for (const link of page.querySelectorAll("a[href]"))
    if (!isAbsolute(link.getAttribute("href") ?? "")) unwrap(link);
  for (const picture of page.querySelectorAll("img"))
    if (!isAbsolute(picture.getAttribute("src") ?? "")) picture.replaceWith(picture.alt);
  for (const table of page.querySelectorAll("table")) ensureHeader(table);
}

/** Whether it is code copied from an editor: a single block that preserves spaces. */
function isCode({ body }: Document): boolean {
  const [only, ...others] = body.children;
  return only !== undefined && others.length === 0 && only.matches('pre, div[style*="white-space: pre"]');
}

/** Deeper nesting does not occur in real pages and takes seconds to parse. */
const MAX_DEPTH = 100;
const TAG = /<(\/?)([a-z][a-z0-9]*)/gi;
/** Elements whose end tags are optional, and void elements. */
const UNCOUNTED = /^(?:area|br|col|dd|dt|hr|img|input|li|link|meta|option|p|source|td|th|tr|wbr)$/i;

function isDeep(html: string): boolean {
  let depth = 0;
  for (const [, end, name = ""] of html.matchAll(TAG)) {
    if (!UNCOUNTED.test(name)) depth += end ? -1 : 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

export type ConvertedHtml = {
  text: string;
  /** Whether it needs lines of its own: it is more than one paragraph, or something else, such as a list. */
  isBlock: boolean;
};

/** Any HTML as Markdown; undefined if its plain text loses nothing, and if it is nested too deeply. */
export function htmlToMarkdown(html: string): ConvertedHtml | undefined {
  if (isDeep(html)) return undefined;
  const page = new DOMParser().parseFromString(html, "text/html");
  if (isCode(page)) return undefined;
  clean(page);
  if (!page.body.querySelector(FORMATTED)) return undefined;
  const tree = toMdast(fromDom(page.body));
  if (tree.type !== "root") return undefined;
  const text = toMarkdown(tree, {
    bullet: "-",
    rule: "-",
    listItemIndent: "one",
    resourceLink: false,
    extensions: [gfmToMarkdown()],
  }).trim();
  const [first, ...others] = tree.children;
  return text ? { text, isBlock: others.length > 0 || first?.type !== "paragraph" } : undefined;
}
