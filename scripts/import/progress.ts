import { SingleBar } from "cli-progress";

/** Shows how far a stage of the import is. Prints nothing without a terminal. */
export type Progress = { show: (done: number, total: number) => void; end: () => void };

/** The bar that the terminal shows now; there is one at a time. */
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

/** Says beside the bar, or on a line of its own, why nothing moves; called without a reason, that it goes on. */
export function showWait(why?: string, terminal = process.stderr): void {
  if (!terminal.isTTY) return;
  if (shown) shown.update({ waiting: why === undefined ? "" : `  ${why}` });
  else if (why !== undefined) terminal.write(`${why}\n`);
}
