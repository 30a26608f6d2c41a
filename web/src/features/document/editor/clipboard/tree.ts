import type { Element, ElementContent, Parents, Root, RootContent } from "hast";
import { parseStyle, STYLE_PROPERTY, type Style, type StyleSheet } from "./source.ts";

// Helpers for trees of HTML (hast).

export type Node = RootContent | ElementContent;

/** Whether a node is an element, with one of the names if there are any. */
export function isElement(node: Element, ...names: string[]): boolean;
export function isElement(node: Node | undefined, ...names: string[]): node is Element;
export function isElement(node: Node | undefined, ...names: string[]): boolean {
  return node?.type === "element" && (names.length === 0 || names.includes(node.tagName));
}

export const element = (
  tagName: string,
  children: ElementContent[],
  properties: Element["properties"] = {},
): Element => ({ type: "element", tagName, properties, children });

export const classesOf = ({ properties: { className } }: Element): string[] =>
  Array.isArray(className) ? className.map(String) : [];

export const property = ({ properties }: Element, name: string): string => String(properties[name] ?? "");

export const inlineStyle = (node: Element): Style => parseStyle(property(node, STYLE_PROPERTY));

/** The style of an element by its classes and attribute. */
export function styleOf(node: Element, sheet: StyleSheet): Style {
  const rules = classesOf(node).flatMap((name) =>
    [`.${name}`, `${node.tagName}.${name}`].flatMap((selector) => [...(sheet.get(selector) ?? [])]),
  );
  return new Map([...rules, ...inlineStyle(node)]);
}

export function textOf(node: Node): string {
  if (node.type === "text") return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

/** Calls `change` for each element, from the inside out, and puts what it returns in its place. */
export function replaceElements(parent: Parents, change: (node: Element) => ElementContent[]): void {
  parent.children = (parent.children as ElementContent[]).flatMap((node) => {
    if (node.type !== "element") return [node];
    replaceElements(node, change);
    return change(node);
  });
}

/** Calls `visit` for each element and the root, from the outside in. */
export function eachParent(parent: Parents, visit: (node: Element | Root) => void): void {
  visit(parent as Element | Root);
  for (const node of parent.children) if (node.type === "element") eachParent(node, visit);
}

export function findElement(parent: Parents, isFound: (node: Element) => boolean): Element | undefined {
  for (const node of parent.children) {
    if (node.type !== "element") continue;
    const found = isFound(node) ? node : findElement(node, isFound);
    if (found) return found;
  }
  return undefined;
}

const BLOCKS =
  /^(?:address|article|aside|blockquote|dd|details|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tbody|td|th|thead|tr|ul)$/;

export const isBlock = (node: Node): boolean => isElement(node) && BLOCKS.test(node.tagName);

/** Whether there is nothing but text and what is within a line. */
export const isInline = (node: Node): boolean =>
  !isBlock(node) && (!isElement(node) || node.children.every(isInline));

/** Whether there is only space, as between the lines of HTML. */
export const isSpace = (node: Node): boolean => node.type === "text" && node.value.trim() === "";

export const isBlank = (node: Node): boolean =>
  isElement(node) &&
  textOf(node).trim() === "" &&
  !findElement(node, ({ tagName }) => /^(?:img|input|hr)$/.test(tagName));
