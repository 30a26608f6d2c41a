// Separate from progress.ts, because `npm start` should not load the progress bar's library.

/** A progress bar that can show a wait next to its own text. */
type Bar = { update: (payload: { waiting: string }) => void };

let bar: Bar | undefined;

/** At most one line in this time. */
const LINE_INTERVAL_MS = 60_000;
let printedAt = Number.NEGATIVE_INFINITY;

/** Sets the bar that is on the terminal, if any. */
export const setActiveBar = (shown: Bar | undefined): void => {
  bar = shown;
};

/** Shows next to the bar, or on its own line, why a request waits. Without a reason, removes the note. */
export function showWait(why?: string, terminal = process.stderr): void {
  if (bar) bar.update({ waiting: why === undefined ? "" : `  ${why}` });
  else if (why !== undefined && Date.now() - printedAt >= LINE_INTERVAL_MS) {
    printedAt = Date.now();
    terminal.write(`${why}\n`);
  }
}
