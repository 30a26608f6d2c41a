import type { Element, ElementContent, Root } from "hast";
import type { StyleSheet } from "./source.ts";
import {
  element,
  findElement,
  isBlank,
  isElement,
  isInline,
  property,
  replaceElements,
  styleOf,
} from "./tree.ts";

// Tables: those for layout are unfolded, and a cell is one line.

/** More cells than this take too long; their text is pasted plain. */
const MAX_CELLS = 20_000;

/** Thrown for a table that is too large. */
export class TooLarge extends Error {}

const rowsAmong = (nodes: ElementContent[]) => nodes.filter((node) => isElement(node, "tr")) as Element[];
const cellsOf = (row: Element) => row.children.filter((node) => isElement(node, "td", "th")) as Element[];

const rowsOf = (table: Element): Element[] =>
  table.children.flatMap((node) =>
    isElement(node, "thead", "tbody", "tfoot") ? rowsAmong(node.children) : rowsAmong([node]),
  );

const br = () => element("br", []);

type Line = ElementContent[];

const isBlankNode = (node: ElementContent) =>
  node.type === "text" ? node.value.trim() === "" : isElement(node, "br") || isBlank(node);

/** The lines of a cell: its paragraphs and the items of its lists. */
function linesOf(nodes: ElementContent[]): Line[] {
  const lines: Line[] = [[]];
  for (const node of nodes) {
    if (isElement(node) && !isInline(node)) lines.push(...linesIn(node), []);
    else lines.at(-1)?.push(node);
  }
  return lines.filter((line) => !line.every(isBlankNode));
}

function linesIn(node: Element): Line[] {
  if (!isElement(node, "ul", "ol")) return linesOf(node.children);
  return node.children
    .filter((child) => isElement(child))
    .flatMap((item, index) => {
      const lines = linesOf(item.children);
      const value = isElement(node, "ol") ? `${(Number(node.properties.start) || 1) + index}. ` : "- ";
      lines[0]?.unshift({ type: "text", value });
      return lines;
    });
}

const isLayout = (table: Element) =>
  property(table, "role") === "presentation" ||
  findElement(table, (node) => isElement(node, "table", "h1", "h2", "blockquote")) !== undefined;

/** How many columns and rows a cell takes. */
const spanOf = (cell: Element) =>
  (Number(cell.properties.colSpan) || 1) * (Number(cell.properties.rowSpan) || 1);

/** Empty rows and columns at the end, as of a sheet, and cells over several others cost time and say nothing. */
function limitSize(rows: Element[]): void {
  const cells = rows.flatMap(cellsOf);
  const width = Math.max(...rows.map((row) => cellsOf(row).length));
  if (rows.length * width > MAX_CELLS) throw new TooLarge();
  const covered = cells.reduce((sum, cell) => sum + spanOf(cell), 0);
  for (const cell of cells)
    if (!(covered <= MAX_CELLS && spanOf(cell) >= 1))
      Object.assign(cell.properties, { colSpan: null, rowSpan: null });
}

/** What a table for layout, or of one cell, contains. */
const contentsOf = (cells: Element[]): ElementContent[] =>
  cells.length === 1 && cells[0]?.children.every(isInline)
    ? cells[0].children
    : cells.map((cell) => element("div", cell.children));

function cleanCell(cell: Element, sheet: StyleSheet): void {
  const align = property(cell, "align") || styleOf(cell, sheet).get("text-align");
  Object.assign(cell.properties, { align: align === "right" || align === "center" ? align : null });
  if (!cell.children.every(isInline))
    cell.children = linesOf(cell.children).flatMap((line, index) => (index === 0 ? line : [br(), ...line]));
}

function cleanTable(table: Element, sheet: StyleSheet): ElementContent[] {
  const rows = rowsOf(table);
  const cells = rows.flatMap(cellsOf);
  if (cells.length <= 1 || isLayout(table)) return contentsOf(cells);
  limitSize(rows);
  for (const cell of cells) cleanCell(cell, sheet);
  // Markdown has no table without a header.
  const hasHeader = findElement(table, (node) => isElement(node, "th")) !== undefined;
  for (const cell of hasHeader || !rows[0] ? [] : cellsOf(rows[0])) cell.tagName = "th";
  return [table];
}

export function cleanTables(root: Root, sheet: StyleSheet): void {
  replaceElements(root, (node) => (isElement(node, "table") ? cleanTable(node, sheet) : [node]));
}
