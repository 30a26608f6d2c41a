import type { Element, ElementContent, Root } from "hast";
import { classesOf, element, isBlank, isElement, isInline, textOf } from "./tree.ts";

// Mails: each `<div>` is a line, and an empty one stands between paragraphs.

const isEmptyLine = (node: ElementContent) =>
  isElement(node, "div") && isBlank(node) && node.children.every(isInline);

const isOfMail = (node: ElementContent | Root): boolean =>
  node.type === "element" && classesOf(node).some((name) => name.startsWith("gmail_"));

/** The lines that a node is: none if it is something else than a line. */
function lineOf(node: ElementContent): ElementContent[] | undefined {
  if (isElement(node, "div") && node.children.every(isInline)) return node.children;
  return isInline(node) ? [node] : undefined;
}

const hasWords = (line: ElementContent[]) =>
  line.some((node) => (node.type === "text" ? node.value.trim() !== "" : !isBlank(node)));

const isMail = (parent: Element | Root) =>
  isOfMail(parent) ||
  (parent.children as ElementContent[]).some((node) => isEmptyLine(node) || isOfMail(node));

/** A line that follows another one, as `<div>` is on a line of its own. */
const following = (line: ElementContent[], isNewLine: boolean) =>
  isNewLine ? [element("br", []), ...line] : line;

function joinLines(parent: Element | Root): void {
  const done: ElementContent[] = [];
  let paragraph: ElementContent[] = [];
  const flush = () => {
    if (hasWords(paragraph)) done.push(element("p", paragraph));
    paragraph = [];
  };
  let previous: ElementContent | undefined;
  for (const node of parent.children as ElementContent[]) {
    const line = isEmptyLine(node) ? undefined : lineOf(node);
    // Below words, it would make a heading of them.
    if (textOf(node).trim() === "--") flush();
    const isNewLine = paragraph.length > 0 && [node, previous].some((one) => isElement(one, "div"));
    if (line) paragraph.push(...following(line, isNewLine));
    else flush();
    if (!line && !isEmptyLine(node)) done.push(node);
    previous = node;
  }
  flush();
  parent.children = done;
}

function joinWithin(parent: Element | Root, isInMail: boolean): void {
  // A paragraph has no lines to join, although Gmail marks the sign above a signature in it.
  const isLines = isInMail ? isElement(parent as Element, "div", "blockquote") : isMail(parent);
  if (isLines && !isElement(parent as Element, "p")) joinLines(parent);
  for (const node of parent.children)
    if (node.type === "element") joinWithin(node, isInMail || isOfMail(parent));
}

/** Makes paragraphs of the lines of mails. */
export const joinMailLines = (root: Root): void => joinWithin(root, false);
