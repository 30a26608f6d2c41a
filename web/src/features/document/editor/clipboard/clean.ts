import type { Element, ElementContent, Parents, Root } from "hast";
import { convertChecklists, isCheckbox } from "./checklists.ts";
import { convertCode } from "./code.ts";
import { convertLinks } from "./links.ts";
import { convertTypedItems, joinLists, nestLists } from "./lists.ts";
import { joinMailLines } from "./mail.ts";
import { convertMonospaced } from "./monospaced.ts";
import { convertOffice } from "./office.ts";
import { convertSigns } from "./signs.ts";
import { asInSource, type Style, type StyleSheet } from "./source.ts";
import { cleanTables } from "./tables.ts";
import { element, isElement, isInline, property, replaceElements, styleOf, textOf } from "./tree.ts";

// Turns the HTML that programs put on the clipboard into plain HTML: of what they mean, without how it looks.

const DROPPED =
  /^(?:script|style|noscript|svg|button|iframe|object|embed|title|meta|link|base|template|select|textarea|colgroup|col|audio|video|math|input)$/;

const isHidden = (style: Style) => style.get("display") === "none" || style.get("mso-hide") === "all";

function dropHidden(root: Root, sheet: StyleSheet): void {
  replaceElements(root, (node) => {
    if (DROPPED.test(node.tagName) && !isCheckbox(node)) return [];
    const { hidden, ariaHidden } = node.properties;
    // How Slack marks an empty line.
    if (property(node, "dataStringifyType") === "paragraph-break")
      return [element("br", []), element("br", [])];
    if (isElement(node, "br")) return [node];
    return hidden || String(ariaHidden) === "true" || isHidden(styleOf(node, sheet)) ? [] : [node];
  });
}

/** Spaces that do not break are ordinary ones in Markdown. What has no width is dropped, as are Google Docs' ends of code. */
function cleanText(parent: Parents, isKept = false): void {
  for (const node of parent.children) {
    if (node.type === "text") {
      const value = asInSource(node.value);
      node.value = isKept
        ? value
        : value.replace(/\u00a0/g, " ").replace(/[\u00ad\u200b\ufeff\uec02\uec03]/g, "");
    } else if (node.type === "element") cleanText(node, isKept || node.tagName === "pre");
  }
}

const isBold = (weight: string) => /^(?:bold|bolder|[6-9]00)$/.test(weight) || /\bbold\b/.test(weight);

/** Word says so; Google Docs writes colours as no browser does, and has no others behind words. */
const isHighlighted = (style: Style) =>
  style.has("mso-highlight") || /^#(?!f{3}(?:f{3})?$)/.test(style.get("background-color") ?? "");

function marksOf(style: Style): string[] {
  const font = style.get("font") ?? "";
  const line = `${style.get("text-decoration")} ${style.get("text-decoration-line")}`;
  const weight = style.get("font-weight") ?? font;
  return [
    ...(isBold(weight) ? ["strong"] : []),
    ...(/\bitalic\b/.test(style.get("font-style") ?? font) ? ["em"] : []),
    ...(line.includes("line-through") ? ["del"] : []),
  ];
}

/** Bold is not marked in these, where it shows anyway, and code has no marks at all. */
const BOLD_ANYWAY = /^(?:h[1-6]|th|strong|b)$/;
const MARKED_ANYWAY: Record<string, RegExp> = {
  strong: BOLD_ANYWAY,
  em: /^(?:em|i)$/,
  del: /^(?:del|s|strike)$/,
  mark: /^mark$/,
};
const STYLED = /^(?:span|font|p|td|a|li|div)$/;

const wrapAll = (children: ElementContent[], names: string[]): ElementContent[] =>
  names.reduce((inside, name) => [element(name, inside)], children);

const isMarkedIn = (around: string[], name: string) =>
  around.some((one) => MARKED_ANYWAY[name]?.test(one) ?? false);

/** Whether an element is a `<b>` that changes nothing. Google Docs wraps everything in one of normal weight. */
const isVoidBold = (node: Element, style: Style, around: string[]): boolean =>
  isElement(node, "b", "strong") &&
  (isMarkedIn(around, "strong") || /^(?:normal|[1-5]00)$/.test(style.get("font-weight") ?? ""));

/** The marks that the style of an element means. */
function marksFor(node: Element, style: Style, around: string[]): string[] {
  const isLine = STYLED.test(node.tagName) && node.children.every(isInline) && textOf(node).trim() !== "";
  const names = [...marksOf(style), ...(isElement(node, "span") && isHighlighted(style) ? ["mark"] : [])];
  return isLine ? names.filter((name) => !isMarkedIn(around, name)) : [];
}

/** Makes marks of styles, and removes marks that styles or what is around them make void. */
function convertStyles(parent: Parents, sheet: StyleSheet, around: string[]): void {
  parent.children = (parent.children as ElementContent[]).flatMap((node) => {
    if (node.type !== "element" || isElement(node, "pre", "code")) return [node];
    const style = styleOf(node, sheet);
    const isVoid = isVoidBold(node, style, around);
    const names = marksFor(node, style, around);
    convertStyles(node, sheet, isVoid ? around : [...around, node.tagName, ...names]);
    if (isVoid) return node.children;
    node.children = wrapAll(node.children, names);
    return [node];
  });
}

/** Cleans a tree in place. `firstFootnote`: what is added to the numbers of footnotes. */
export function cleanTree(root: Root, sheet: StyleSheet, firstFootnote: number): void {
  cleanText(root);
  convertOffice(root, firstFootnote);
  convertSigns(root);
  dropHidden(root, sheet);
  convertCode(root);
  convertMonospaced(root, sheet);
  nestLists(root);
  convertTypedItems(root);
  convertChecklists(root);
  joinLists(root);
  cleanTables(root, sheet);
  convertStyles(root, sheet, []);
  convertLinks(root);
  joinMailLines(root);
}
