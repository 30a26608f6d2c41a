// Apart from the bar itself, whose library `npm start` does without.

/** What shows a wait beside its own text. */
type Bar = { update: (payload: { waiting: string }) => void };

let bar: Bar | undefined;

/** One line of a wait is enough for this long. */
const ONE_LINE_MS = 60_000;
let saidAt = Number.NEGATIVE_INFINITY;

/** Names the bar that is on the terminal, if there is one. */
export const showBeside = (shown: Bar | undefined): void => {
  bar = shown;
};

/** Shows beside the bar, or on a line of its own, why a request waits; without a reason, removes it again. */
export function showWait(why?: string, terminal = process.stderr): void {
  if (bar) bar.update({ waiting: why === undefined ? "" : `  ${why}` });
  else if (why !== undefined && Date.now() - saidAt >= ONE_LINE_MS) {
    saidAt = Date.now();
    terminal.write(`${why}\n`);
  }
}
