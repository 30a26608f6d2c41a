import type { Element, ElementContent, Root } from "hast";
import { asInSource } from "./source.ts";
import { element, findElement, isBlank, isElement, property, replaceElements, textOf } from "./tree.ts";

/** Addresses that work outside of the page they come from. */
const isAbsolute = (href: string) => /^(?:https?:|mailto:)/i.test(href);

/** Programs that lead links over themselves, and the parameter with the address that is meant. */
const REDIRECTS: [RegExp, string][] = [
  [/^(?:www\.)?google\.[a-z.]+\/url$/, "q"],
  [/\.safelinks\.protection\.outlook\.com\/$/, "url"],
];

function addressOf(href: string): string {
  if (!URL.canParse(href)) return href;
  const { host, pathname, searchParams } = new URL(href);
  const parameter = REDIRECTS.find(([pattern]) => pattern.test(host + pathname))?.[1];
  const meant = parameter && searchParams.get(parameter);
  return meant && isAbsolute(meant) ? meant : href;
}

const isTiny = (node: Element) => ["width", "height"].every((side) => /^[01]$/.test(property(node, side)));

const text = (value: string): ElementContent => ({ type: "text", value });

function convertLink(link: Element): ElementContent[] {
  const href = asInSource(property(link, "href"));
  const isEmpty = textOf(link).trim() === "" && !findElement(link, (one) => isElement(one, "img"));
  const isOfItself = link.children.every((one) => isElement(one, "img") && property(one, "src") === href);
  // In Wikipedia, from and to its sources
  return isEmpty || isOfItself || !isAbsolute(href) || /#cite_(?:note|ref)\b/.test(href)
    ? link.children
    : [element("a", link.children, { href: addressOf(href) })];
}

/** One sign, as an emoji or by its name. */
const SIGN = /^(?:\p{RGI_Emoji}|\p{Extended_Pictographic}|:[\w+\-]+:)$/v;

/** A picture that only this page or this computer has is its words, as are those that are signs. */
function convertPicture(picture: Element): ElementContent[] {
  const [src, alt] = [asInSource(property(picture, "src")), asInSource(property(picture, "alt"))];
  if (isTiny(picture)) return [];
  const isShown = isAbsolute(src) && !SIGN.test(alt);
  return [isShown ? element("img", [], { src, alt }) : text(alt)];
}

const PERMALINK_SIGN = /^[#¶§🔗]$/u;

/** A heading without the link to itself that pages of documentation add; nothing if it has no words. */
function convertHeading(heading: Element): ElementContent[] {
  const [words, id] = [textOf(heading).trim(), property(heading, "id")];
  replaceElements(heading, (node) => {
    const [text, href] = [textOf(node).trim(), property(node, "href")];
    if (!isElement(node, "a") || !href.includes("#")) return [node];
    if (isBlank(node) || PERMALINK_SIGN.test(text)) return [];
    return text === words && id && href.endsWith(`#${id}`) ? node.children : [node];
  });
  return isBlank(heading) ? [] : [heading];
}

/** Keeps links and pictures whose addresses work elsewhere. */
export function convertLinks(root: Root): void {
  replaceElements(root, (node) => (/^h[1-6]$/.test(node.tagName) ? convertHeading(node) : [node]));
  replaceElements(root, (node) => {
    if (isElement(node, "a")) return convertLink(node);
    return isElement(node, "img") ? convertPicture(node) : [node];
  });
}
