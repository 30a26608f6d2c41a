// Medians of what is measured in turns, and the tables in which they are printed.

/** Prints rows of cells under their headings, the first column aligned left and the others right. */
export function printTable(title: string, headings: string[], rows: (string | number)[][]): void {
  const cells = [headings, ...rows.map((row) => row.map(String))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  console.log(`\n${title}\n`);
  for (const row of cells) console.log(`  ${row.map(padded).join("  ")}`);
}

/** The value below which this share of a list of numbers is. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: number[]): number => quantile(values, 0.5);

export type Figures = Record<string, number>;

/** What is measured: once for each commit that is compared, the older one first. */
export type Case = { name: string; measures: (() => Promise<Figures>)[] };

/** The figures of a case: by commit, then by round. */
export type Measured = { name: string; figures: Figures[][] };

/**
 * Measures all cases in each round, and the commits of a case one after the other, so that a slow minute of the machine
 * affects all of them.
 *
 * @param beforeRound is not measured
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

/** How many times as high a figure is as another case's or commit's, in each round. */
export const ratiosOf = (rounds: Figures[], others: Figures[], figure: string): number[] =>
  valuesOf(rounds, figure).map((value, round) => value / (others[round]?.[figure] ?? Number.NaN));

/** The median of a figure, of the older commit before that of this one. */
export const shown = ({ figures }: Measured, figure: string, digits = 0): string =>
  figures.map((rounds) => median(valuesOf(rounds, figure)).toFixed(digits)).join(" → ");

/** The ratio of this commit to the older one; undefined unless two are compared. */
export function ratioOf({ figures: [before, now] }: Measured, figure: string): number | undefined {
  return before && now && median(ratiosOf(now, before, figure));
}

const eachRatio = ({ figures: [before, now] }: Measured, figure: string) =>
  before && now
    ? ratiosOf(now, before, figure)
        .map((ratio) => ratio.toFixed(2))
        .join(" ")
    : "";

/** Digits after the point, by figure; a ratio is printed for the figure `ratio`. */
export type Shape = { figures: Record<string, number>; ratio: string };

/** Prints a row for each case, with its figures and the ratio of two commits. */
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
