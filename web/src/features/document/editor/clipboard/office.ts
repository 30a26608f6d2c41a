import type { Element, ElementContent, Parents, Root } from "hast";
import {
  classesOf,
  eachParent,
  element,
  findElement,
  inlineStyle,
  isBlank,
  isElement,
  isSpace,
  property,
  replaceElements,
  textOf,
} from "./tree.ts";

// What Word and Outlook put on the clipboard: lists are paragraphs with a marker, and footnotes are links.

type Item = {
  level: number;
  isOrdered: boolean;
  start: number;
  /** Its number says that a list begins. */
  isFirst?: boolean;
  children: ElementContent[];
};

/** Removes the marker of a list item, and returns it. */
function takeMarker(paragraph: Element): string {
  let marker = "";
  replaceElements(paragraph, (node) => {
    if (!isMarker(node)) return [node];
    marker = textOf(node).trim();
    return [];
  });
  return marker;
}

const NUMBERED = /^\(?(?:\d[\d.]*|[a-z]{1,5}[.)])/i;
const LEVEL = /\blevel(\d)/;

const isMarker = (node: Element) => inlineStyle(node).get("mso-list") === "ignore";

/** The level of an item by its style, such as `MsoListBullet2`, if it has a marker. */
const styledLevel = (node: Element): string | undefined =>
  findElement(node, isMarker) && (/MsoList[a-z]+(\d)/i.exec(classesOf(node).join(" "))?.[1] ?? "1");

/** A paragraph of Word that is the item of a list. */
function wordItem(node: ElementContent): Item | undefined {
  if (!isElement(node, "p", "div")) return undefined;
  const level = LEVEL.exec(inlineStyle(node).get("mso-list") ?? "")?.[1] ?? styledLevel(node);
  if (level === undefined) return undefined;
  const marker = takeMarker(node);
  // The last number of "2.3"
  const start = Number(/(\d{1,9})\D*$/.exec(marker)?.[1]) || 1;
  const isFirst = /(?<!\d)1\D*$/.test(marker);
  return { level: Number(level), isOrdered: NUMBERED.test(marker), start, isFirst, children: node.children };
}

/** The level of an item where nested lists stand beside each other: in Word in a browser, and in Slack. */
const statedLevel = ({ properties }: Element): number =>
  Number(properties.dataAriaLevel) || Number(properties.dataStringifyIndent) + 1;

/** The items of a list that have their levels. */
function onlineItems(node: ElementContent): Item[] {
  if (!isElement(node, "ul", "ol")) return [];
  const all = node.children.filter((child) => isElement(child));
  if (!all.every((child) => child.tagName === "li" && statedLevel(child) > 0)) return [];
  const start = Number(node.properties.start) || 1;
  const isOrdered = node.tagName === "ol";
  return all.map((item) => ({ level: statedLevel(item), isOrdered, start, children: item.children }));
}

type OpenList = { level: number; list: Element };

/** The list that an item belongs to: an open one, or a new one within the last item. */
function listFor({ level, isOrdered, start, isFirst }: Item, open: OpenList[], lists: Element[]): Element {
  const name = isOrdered ? "ol" : "ul";
  const isOther = (last: OpenList) =>
    last.level > level || (last.level === level && (isFirst || last.list.tagName !== name));
  while (open.length > 0 && isOther(open.at(-1) as OpenList)) open.pop();
  const last = open.at(-1);
  if (last?.level === level) return last.list;
  const list = element(name, [], isOrdered && start > 1 ? { start } : {});
  const parent = last?.list.children.at(-1);
  if (isElement(parent)) parent.children.push(list);
  else lists.push(list);
  open.push({ level, list });
  return list;
}

/** Nests items by their level. */
function listsOf(items: Item[]): Element[] {
  const lists: Element[] = [];
  const open: OpenList[] = [];
  for (const item of items) listFor(item, open, lists).children.push(element("li", item.children));
  return lists;
}

/** Adds a paragraph of Word without a marker, indented as the item above it, to that item. Returns whether it is one. */
function continueItem(node: ElementContent, item: Item | undefined): boolean {
  if (!item || !isElement(node, "p") || !/\bMsoListParagraph/.test(classesOf(node).join(" "))) return false;
  if (!isBlank(node)) item.children.push(node);
  return true;
}

const isBlankLine = (node: ElementContent) => isSpace(node) || (isElement(node, "p") && isBlank(node));

/** Makes lists of paragraphs, and of lists with items of one level. */
function gatherLists(parent: Parents): void {
  const done: ElementContent[] = [];
  let items: Item[] = [];
  const flush = () => {
    done.push(...listsOf(items));
    items = [];
  };
  for (const node of parent.children as ElementContent[]) {
    const word = wordItem(node);
    const found = word ? [word] : onlineItems(node);
    if (found.length > 0) items.push(...found);
    else if (continueItem(node, items.at(-1))) continue;
    else if (items.length === 0 || !isBlankLine(node)) {
      flush();
      done.push(node);
    }
  }
  flush();
  parent.children = done;
}

/** The level of a heading that is a styled paragraph. */
function headingLevel(node: Element): number | undefined {
  if (!isElement(node, "p")) return undefined;
  const outline = Number(inlineStyle(node).get("mso-outline-level"));
  const name = classesOf(node).join(" ");
  const stated = property(node, "role") === "heading" ? Number(property(node, "ariaLevel")) : outline;
  const level = /^MsoTitle/.test(name) ? 1 : Number(/MsoHeading(\d?)/.exec(name)?.[1] ?? stated);
  return level >= 1 ? Math.min(level, 6) : undefined;
}

/** The comments of others on a text, and their signs in it. */
const isComment = (node: Element) =>
  classesOf(node).includes("MsoCommentReference") ||
  inlineStyle(node).get("mso-element") === "comment-list" ||
  /^#cmnt/.test(property(node, "href"));

/** Elements of their own namespace, such as `<o:p>`, and paragraphs that are headings or quotations. */
function convertElements(root: Root): void {
  replaceElements(root, (node) => {
    if (node.tagName.includes(":")) return node.children;
    if (isElement(node, "div") && classesOf(node).includes("ListContainerWrapper")) return node.children;
    const level = headingLevel(node);
    if (level) return [element(`h${level}`, node.children)];
    if (classesOf(node).some((name) => /^Mso(?:Intense)?Quote/.test(name)))
      return [element("blockquote", [element("p", node.children)])];
    return isElement(node, "div") ? quoted(node) : [node];
  });
}

/** Outlook marks the mail that is answered with a line to its left, or above the names of its writers. */
function quoted(node: Element): ElementContent[] {
  const style = inlineStyle(node);
  if (style.get("border-left")?.startsWith("solid")) return [element("blockquote", node.children)];
  return style.get("border-top")?.startsWith("solid") ? [element("hr", []), node] : [node];
}

// Of Word, of Google Docs, and of pages that were written in Markdown.
const REFERENCE = /#(?:_(ftn|edn)|ftnt|(?:user-content-)?fn[:-]?)(\d{1,6})(?:-\w+)?$/;
const BACK = /#(?:_(ftn|edn)ref|ftnt_ref|(?:user-content-)?fnref[:-]?)(\d{1,6})(?:-\w+)*$/;
/** Of Word and Google Docs, whose links lead nowhere else. */
const OFFICE = /#(?:_ftn|_edn|ftnt)/;

const labelOf = (node: Element, pattern: RegExp): string | undefined => {
  const [found, kind = "", number] = pattern.exec(property(node, "href")) ?? [];
  return found && `${kind === "edn" ? "e" : ""}${number}`;
};

/** The label of the footnote that an element is. */
function definedLabel(node: Element): string | undefined {
  const isNote = /^(?:footnote|endnote)$/.test(inlineStyle(node).get("mso-element") ?? "");
  if (!isNote && !isElement(node, "p", "li")) return undefined;
  const back = findElement(node, (one) => labelOf(one, BACK) !== undefined);
  // In Word, a footnote has an element around its paragraphs, and on a page it is the item of a list.
  const isOwn = isNote || property(back ?? node, "href").includes("#ftnt") === isElement(node, "p");
  return back && isOwn ? labelOf(back, BACK) : undefined;
}

/** What stands above footnotes and is not needed in Markdown: a line, or a heading that only screen readers read. */
const isAboveFootnotes = (node: ElementContent) =>
  isElement(node, "hr", "br") ||
  (isElement(node, "h2") && /(?:^|-)footnote-label$/.test(property(node, "id")));

/** The footnotes that an element consists of. */
function footnotesOnly(node: Element): ElementContent[] | undefined {
  const notes = node.children.filter((child) => isElement(child, "footnote-definition"));
  const others = node.children.filter(
    (child) => !isElement(child, "footnote-definition") && !isAboveFootnotes(child),
  );
  return notes.length > 0 && others.every(isSpace) ? notes : undefined;
}

/** Without the line above footnotes, as Google Docs has it. */
const withoutLine = (nodes: ElementContent[]): ElementContent[] =>
  nodes.filter((node, index) => {
    const next = nodes[index + 1];
    const below = next && isSpace(next) ? nodes[index + 2] : next;
    return !(isElement(node, "hr") && isElement(below, "footnote-definition"));
  });

/** The items of a list and their labels, if it consists of the footnotes that a page refers to. */
function listedNotes(list: Element, isNew: (label: string) => boolean): [item: Element, label: string][] {
  const items = list.children.filter((one) => !isSpace(one));
  const notes = items.flatMap((item): [Element, string][] => {
    const label = isElement(item, "li") ? definedLabel(item) : undefined;
    return isElement(item) && label && isNew(label) ? [[item, label]] : [];
  });
  return new Set(notes.map(([, label]) => label)).size === items.length ? notes : [];
}

/** Makes footnotes of links to each other. `shift` is added to their numbers. */
function convertFootnotes(root: Root, shift: number): void {
  const referenced = new Set<string | undefined>();
  eachParent(root, (node) => {
    if (node.type === "element") referenced.add(labelOf(node, REFERENCE));
  });
  const shifted = (label: string) => label.replace(/\d+/, (digits) => String(Number(digits) + shift));
  const defined = new Set<string>();
  const definition = (node: Element, label: string): Element => {
    defined.add(label);
    replaceElements(node, (one) => (labelOf(one, BACK) === undefined ? [one] : []));
    return element("footnote-definition", node.children, { label: shifted(label) });
  };
  replaceElements(root, (node) => {
    const own = isElement(node, "li") ? undefined : definedLabel(node);
    if (own && !defined.has(own)) return [definition(node, own)];
    const isNew = (label: string) => referenced.has(label) && !defined.has(label);
    const notes = isElement(node, "ol", "ul") ? listedNotes(node, isNew) : [];
    if (notes.length > 0) return notes.map(([item, label]) => definition(item, label));
    return footnotesOnly(node) ?? [node];
  });
  replaceElements(root, (node) => {
    const label = labelOf(node, REFERENCE);
    if (!label) return [node];
    if (defined.has(label)) return [element("footnote-reference", [], { label: shifted(label) })];
    return OFFICE.test(property(node, "href")) ? node.children : [node];
  });
  eachParent(root, (parent) => {
    parent.children = withoutLine(parent.children as ElementContent[]);
  });
}

export function convertOffice(root: Root, firstFootnote: number): void {
  replaceElements(root, (node) => (isComment(node) ? [] : [node]));
  convertFootnotes(root, firstFootnote);
  convertElements(root);
  eachParent(root, gatherLists);
}
