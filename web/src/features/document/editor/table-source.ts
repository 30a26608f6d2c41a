import { markdownTable } from "markdown-table";
import { type Cell, type Table, tableCells } from "./table.ts";

/** Width up to which cells are padded; longer cells are wrapped. */
const MAX_WIDTH = 40;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const widthOf = (text: string) => Math.min(MAX_WIDTH, [...graphemes.segment(text)].length);

/** The source of a table with aligned columns, and the range of each cell in it. */
export function tableSource({ prefixes, rows, align }: Omit<Table, "from" | "to">) {
  const lines = markdownTable(rows, { align, stringLength: widthOf }).split("\n");
  let from = 0;
  const cells: Cell[][] = [];
  const text = lines.map((line, index) => {
    const prefix = prefixes[index] ?? prefixes.at(-1) ?? "";
    const start = from + prefix.length;
    if (index !== 1)
      cells.push(tableCells(line).map((cell) => ({ ...cell, from: start + cell.from, to: start + cell.to })));
    from = start + line.length + 1;
    return prefix + line;
  });
  return { text: text.join("\n"), cells };
}
