import type { Element, ElementContent, Parents, Root } from "hast";
import { STYLE_PROPERTY } from "./source.ts";
import {
  classesOf,
  eachParent,
  element,
  findElement,
  inlineStyle,
  isElement,
  property,
  replaceElements,
  textOf,
} from "./tree.ts";

// Checklists: Google Docs has pictures of boxes, Notion has elements, Evernote and Confluence say so, and others have signs.

export const isCheckbox = (node: Element) =>
  isElement(node, "input") && property(node, "type") === "checkbox";

/** Whether the item of a checklist is done; undefined if it is not in one. */
function tickOf(node: Element): boolean | undefined {
  const checked =
    property(node, "ariaChecked") || property(node, "dataChecked") || inlineStyle(node).get("--en-checked");
  if (checked) return checked === "true";
  const state = property(node, "dataTaskState");
  if (state) return state === "DONE";
  if (property(node, "dataInlineTaskId")) return classesOf(node).includes("checked");
  const box = findElement(node, (one) => /^checkbox-o(?:n|ff)$/.test(classesOf(one).at(-1) ?? ""));
  if (box) return classesOf(box).includes("checkbox-on");
  const sign = /^\s*(?:([☐☑☒])|\[([ xX])\]\s)/.exec(textOf(node));
  if (!sign) return undefined;
  return sign[1] ? sign[1] !== "☐" : sign[2] !== " ";
}

/** Removes the sign at the beginning of an item. */
function dropSign(parent: Parents): boolean {
  for (const node of parent.children) {
    if (node.type === "text") {
      if (node.value.trim() === "") continue;
      node.value = node.value.replace(/^\s*(?:[☐☑☒]\s*|\[[ xX]\]\s+)/, "");
      return true;
    }
    if (node.type === "element" && dropSign(node)) return true;
  }
  return false;
}

const isTickSign = (node: Element) =>
  isElement(node, "img")
    ? /^(?:un)?checked$/.test(property(node, "alt"))
    : classesOf(node).includes("checkbox");

/** What programs show of a done item, besides the box. */
function dropStrike(item: Element): void {
  replaceElements(item, (node) => {
    if (isElement(node, "s", "del", "strike")) return node.children;
    if (inlineStyle(node).get("text-decoration")?.includes("line-through"))
      delete node.properties[STYLE_PROPERTY];
    return [node];
  });
}

/** An item with its box, if it is of a checklist. Items within it have theirs already. */
function withBox(item: Element): Element {
  const checked = tickOf(item);
  if (checked === undefined) return item;
  replaceElements(item, (one) => (isTickSign(one) ? [] : [one]));
  dropSign(item);
  if (checked) dropStrike(item);
  return { ...item, children: [element("input", [], { type: "checkbox", checked }), ...item.children] };
}

/** Makes the items of checklists items with a box. */
export function convertChecklists(root: Root): void {
  replaceElements(root, (node) => {
    const isBoxLine = isElement(node, "p") && /^\s*[☐☑☒]/.test(textOf(node));
    if (isBoxLine) return [element("ul", [withBox(element("li", node.children))])];
    // Confluence
    if (property(node, "dataNodeType") === "actionList") return [element("ul", node.children)];
    const item = property(node, "dataTaskState") ? { ...node, tagName: "li" } : node;
    return [isElement(item, "li") ? withBox(item) : item];
  });
  // Boxes outside of items are form fields.
  eachParent(root, (parent) => {
    if (parent.type === "element" && isElement(parent, "li", "p", "label", "span")) return;
    parent.children = (parent.children as ElementContent[]).filter(
      (node) => !isElement(node) || !isCheckbox(node),
    );
  });
}
