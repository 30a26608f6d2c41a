import Papa from "papaparse";
import type { ImportProblem } from "../item.ts";

export type CsvRow = { line: number; cells: string[] };

/**
 * The rows of a CSV file (RFC 4180) below the header row, without empty ones. `line` is where a row begins, because quoted
 * cells may span lines.
 */
export function readCsv(file: string): { names: string[]; rows: CsvRow[]; refused: ImportProblem[] } {
  const text = file.replace(/^\ufeff/, "");
  const [names, rows, refused]: [string[], CsvRow[], ImportProblem[]] = [[], [], []];
  let [line, read] = [1, 0];
  Papa.parse<string[]>(text, {
    step: ({ data, errors, meta }) => {
      const from = line;
      const until = meta.cursor;
      line += text.slice(read, until).split("\n").length - 1;
      read = until;
      // A file with one column has no delimiter to detect.
      const problem = errors.find(({ code }) => code !== "UndetectableDelimiter");
      if (problem) refused.push({ where: `line ${from}`, why: problem.message });
      else if (names.length === 0) for (const name of data) names.push(name.trim());
      else if (data.some((cell) => cell.trim() !== "")) rows.push({ line: from, cells: data });
    },
  });
  return { names, rows, refused };
}
