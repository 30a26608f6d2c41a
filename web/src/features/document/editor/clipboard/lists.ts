import type { Element, ElementContent, Parents, Root } from "hast";
import { eachParent, element, isElement, isInline, replaceElements, textOf } from "./tree.ts";

// Lists as Markdown has them: nested ones in an item, and one list for all of its items.

/** Joins lists that follow each other: some programs make one of each item. */
function joinAmong(parent: Element | Root): void {
  const done: ElementContent[] = [];
  for (const node of parent.children as ElementContent[]) {
    const last = done.findLast((one) => one.type !== "text" || one.value.trim() !== "");
    if (isElement(node, "ul", "ol") && isElement(last, node.tagName) && continues(node, last))
      last.children.push(...node.children);
    else done.push(node);
  }
  parent.children = done;
}

const itemsOf = (list: Element) => list.children.filter((node) => isElement(node, "li"));

const continues = (list: Element, last: Element): boolean =>
  isElement(list, "ul") ||
  Number(list.properties.start) === (Number(last.properties.start) || 1) + itemsOf(last).length;

/** Text that can be unfolded, as lines. */
function unfold(details: Element): ElementContent[] {
  const parts = details.children.filter((node) => node.type !== "text" || node.value.trim() !== "");
  if (!parts.every((node) => isElement(node, "summary", "p") && node.children.every(isInline)))
    return [details];
  return parts.flatMap((node, index) => [
    ...(index === 0 ? [] : [element("br", [])]),
    ...(node as Element).children,
  ]);
}

/** Moves lists that are directly in a list into the item before them. */
export function nestLists(root: Root): void {
  eachParent(root, (list) => {
    if (list.type === "root" || !isElement(list, "ul", "ol")) return;
    const items: ElementContent[] = [];
    for (const node of list.children) {
      const last = items.findLast((one) => isElement(one, "li"));
      if (isElement(node, "ul", "ol") && isElement(last)) last.children.push(node);
      else items.push(node);
    }
    list.children = items;
  });
}

const BULLET = /^\s*[-•▪◦‣●]\s+/;
/** As programs of Apple write the numbers of lists. */
const NUMBER = /^\s*(\d{1,3})[.)]\t\s*/;

/** Removes what matches from the beginning of a text. */
function dropStart(parent: Parents, pattern: RegExp): void {
  const whole = pattern.exec(textOf(parent as Element))?.[0] ?? "";
  let { length } = whole;
  const drop = (node: Parents) => {
    for (const child of node.children) {
      if (child.type === "text") {
        const dropped = Math.min(length, child.value.length);
        child.value = child.value.slice(dropped);
        length -= dropped;
      } else if (child.type === "element") drop(child);
      if (length === 0) return;
    }
  };
  drop(parent);
}

/** The list of one item that a paragraph is if it begins with the sign of one. */
function typedItem(paragraph: Element): Element | undefined {
  const text = textOf(paragraph);
  const start = Number(NUMBER.exec(text)?.[1] ?? 0);
  if (start === 0 && !BULLET.test(text)) return undefined;
  dropStart(paragraph, start > 0 ? NUMBER : BULLET);
  return element(start > 0 ? "ol" : "ul", [element("li", paragraph.children)], start > 1 ? { start } : {});
}

export function convertTypedItems(root: Root): void {
  replaceElements(root, (node) => {
    const isLine = isElement(node, "p") && node.children.every(isInline);
    return [(isLine && typedItem(node)) || node];
  });
}

/** Joins lists that are one, and unfolds their items. */
export function joinLists(root: Root): void {
  eachParent(root, joinAmong);
  replaceElements(root, (node) => (isElement(node, "details") ? unfold(node) : [node]));
}
