import { fromDom } from "hast-util-from-dom";
import { toMdast } from "hast-util-to-mdast";
import { gfmToMarkdown } from "mdast-util-gfm";
import { toMarkdown } from "mdast-util-to-markdown";

// Rich text from elsewhere as Markdown. Nothing of it becomes a part of the page: it is parsed in a document of its own,
// which loads and runs nothing.

/** Without any of these it is a plain text, such as one of a code editor. */
const FORMATTED =
  "h1, h2, h3, h4, h5, h6, strong, b, em, i, del, s, a[href], ul, ol, table, blockquote, hr, code, img";

const unwrap = (element: Element) => element.replaceWith(...element.childNodes);

function wrap(element: Element, name: string): void {
  const outer = element.ownerDocument.createElement(name);
  outer.append(...element.childNodes);
  element.append(outer);
}

const isBold = (weight: string) => weight === "bold" || weight === "bolder" || Number(weight) >= 600;

/** The styles of an element. The Content-Security-Policy keeps the attribute from being read as such. */
function stylesOf(element: Element): CSSStyleDeclaration {
  const { style } = document.createElement("span");
  style.cssText = element.getAttribute("style") ?? "";
  return style;
}

/** What the styles of an element make of its words, as the names of elements. */
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

/** Headings are bold anyway, and code is not. */
const AS_IT_IS = "h1, h2, h3, h4, h5, h6, th, pre, code";

/** Office programs say bold and italic by styles only, and some wrap all of it in a `<b>` that is none. */
function readStyles(page: Document): void {
  for (const bold of page.querySelectorAll("b[style]")) {
    const { fontWeight } = stylesOf(bold);
    if (fontWeight && !isBold(fontWeight)) unwrap(bold);
  }
  for (const span of page.querySelectorAll("span[style]")) {
    if (!span.textContent?.trim() || span.closest(AS_IT_IS)) continue;
    for (const name of formatsOf(stylesOf(span))) wrap(span, name);
  }
}

/** Addresses that mean something elsewhere. */
const isLasting = (href: string) => /^(?:https?:|mailto:)/i.test(href);

/** A table without a head gets its first row as one: Markdown knows no other. */
function giveHead(table: HTMLTableElement): void {
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
  readStyles(page);
  for (const link of page.querySelectorAll("a[href]"))
    if (!isLasting(link.getAttribute("href") ?? "")) unwrap(link);
  for (const picture of page.querySelectorAll("img"))
    if (!isLasting(picture.getAttribute("src") ?? "")) picture.replaceWith(picture.alt);
  for (const table of page.querySelectorAll("table")) giveHead(table);
}

/** Whether all of it is code as an editor copies it: one block that keeps its spaces. */
function isCode({ body }: Document): boolean {
  const [only, ...others] = body.children;
  return only !== undefined && others.length === 0 && only.matches('pre, div[style*="white-space: pre"]');
}

/** What is nested more deeply, as no page of a person is, takes seconds to parse. */
const MAX_DEPTH = 100;
const TAG = /<(\/?)([a-z][a-z0-9]*)/gi;
/** Elements whose ends may be left out, or that have none. */
const UNCOUNTED = /^(?:area|br|col|dd|dt|hr|img|input|li|link|meta|option|p|source|td|th|tr|wbr)$/i;

function isDeep(html: string): boolean {
  let depth = 0;
  for (const [, end, name = ""] of html.matchAll(TAG)) {
    if (!UNCOUNTED.test(name)) depth += end ? -1 : 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

export type Converted = {
  text: string;
  /** It begins with a heading, a list or the like, or is more than a paragraph: it needs lines of its own. */
  isBlock: boolean;
};

/** Rich text as Markdown; undefined when there is nothing in it that a plain text does not say. Takes any HTML. */
export function markdownOf(html: string): Converted | undefined {
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
