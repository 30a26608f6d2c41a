import { SingleBar } from "cli-progress";

/** Shows the progress of a stage. Prints nothing without a terminal. */
export type Progress = { show: (done: number, total: number) => void; end: () => void };

/** The bar that is currently on the terminal, at most one at a time. */
let shown: SingleBar | undefined;

/** A progress bar on a terminal. */
export function progressOf(stage: string, terminal = process.stderr): Progress {
  if (!terminal.isTTY) return { show: () => {}, end: () => {} };
  const bar = new SingleBar({
    stream: terminal,
    format: `${stage} {bar} {value}/{total}  {eta_formatted}{waiting}`,
    hideCursor: true,
  });
  return {
    show: (done, total) => {
      if (shown !== bar) bar.start(total, 0, { waiting: "" });
      shown = bar;
      bar.setTotal(total);
      bar.update(done);
    },
    end: () => {
      bar.stop();
      shown = undefined;
    },
  };
}

/** One line of a wait is enough for this long. */
const ONE_LINE_MS = 60_000;
let saidAt = Number.NEGATIVE_INFINITY;

/** Shows beside the bar, or on a line of its own, why a request waits; without a reason, removes it again. */
export function showWait(why?: string, terminal = process.stderr): void {
  if (shown) shown.update({ waiting: why === undefined ? "" : `  ${why}` });
  else if (why !== undefined && Date.now() - saidAt >= ONE_LINE_MS) {
    saidAt = Date.now();
    terminal.write(`${why}\n`);
  }
}
