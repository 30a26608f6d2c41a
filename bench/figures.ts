// Measures in rounds, and prints tables of medians.

/** Prints a table. The first column is aligned left, the others right. */
export function printTable(title: string, headings: string[], rows: (string | number)[][]): void {
  const cells = [headings, ...rows.map((row) => row.map(String))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  console.log(`\n${title}\n`);
  for (const row of cells) console.log(`  ${row.map(padded).join("  ")}`);
}

/** The value below which this share of the values lies. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: number[]): number => quantile(values, 0.5);

export type Figures = Record<string, number>;

/** A measurement for each of the compared commits, the older one first. */
export type Case = { name: string; measures: (() => Promise<Figures>)[] };

/** The figures of a case, by commit and round. */
export type Measured = { name: string; figures: Figures[][] };

/**
 * Measures all cases in each round, and the commits of a case directly after each other, so that a slow minute of the
 * machine affects all of them.
 *
 * @param beforeRound called before each round; not measured
 */
export async function measureInTurns(
  cases: Case[],
  rounds = 1,
  beforeRound: () => Promise<unknown> = async () => undefined,
): Promise<Measured[]> {
  const measured = cases.map(({ name, measures }): Measured => ({ name, figures: measures.map(() => []) }));
  for (let round = 0; round < rounds; round++) {
    await beforeRound();
    for (const [place, { measures }] of cases.entries())
      for (const [commit, measure] of measures.entries())
        measured[place]?.figures[commit]?.push(await measure());
  }
  return measured;
}

const valuesOf = (rounds: Figures[], figure: string) =>
  rounds.map((figures) => figures[figure] ?? Number.NaN);

/** A figure divided by that of another case or commit, for each round. */
export const ratiosOf = (rounds: Figures[], others: Figures[], figure: string): number[] =>
  valuesOf(rounds, figure).map((value, round) => value / (others[round]?.[figure] ?? Number.NaN));

/** The medians of a figure, of the older commit and this one. */
export const shown = ({ figures }: Measured, figure: string, digits = 0): string =>
  figures.map((rounds) => median(valuesOf(rounds, figure)).toFixed(digits)).join(" → ");

/** This commit's figure divided by the older one's; undefined without a comparison. */
export function ratioOf({ figures: [before, now] }: Measured, figure: string): number | undefined {
  return before && now && median(ratiosOf(now, before, figure));
}

const eachRatio = ({ figures: [before, now] }: Measured, figure: string) =>
  before && now
    ? ratiosOf(now, before, figure)
        .map((ratio) => ratio.toFixed(2))
        .join(" ")
    : "";

/** The columns with their number of decimals, and the figure of which the ratio is printed. */
type Shape = { figures: Record<string, number>; ratio: string };

/** Prints a row for each case, with the ratio of the two commits. */
export function printMeasured(title: string, { figures, ratio }: Shape, measured: Measured[]): void {
  const isCompared = measured.some((one) => ratioOf(one, ratio) !== undefined);
  const rows = measured.map((one) => [
    one.name,
    ...Object.entries(figures).map(([figure, digits]) =>
      one.figures[0]?.[0]?.[figure] === undefined ? "" : shown(one, figure, digits),
    ),
    ...(isCompared ? [ratioOf(one, ratio)?.toFixed(2) ?? "", eachRatio(one, ratio)] : []),
  ]);
  const headings = ["", ...Object.keys(figures), ...(isCompared ? ["ratio", "of each round"] : [])];
  printTable(title, headings, rows);
}

/** A figure with its limit and whether it is within that; some have none. */
export type Checked = [name: string, figure: string, limit?: string, isKept?: boolean];

/** Prints figures with their limits. Returns whether all are within them. */
export function printChecked(title: string, headings: [string, string], checked: Checked[]): boolean {
  const verdict = (isKept?: boolean) => (isKept === undefined ? "" : isKept ? "ok" : "over");
  const rows = checked.map(([name, figure, limit = "", isKept]) => [name, figure, limit, verdict(isKept)]);
  printTable(title, ["", ...headings, ""], rows);
  return checked.every(([, , , isKept]) => isKept !== false);
}
