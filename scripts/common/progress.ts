import { SingleBar } from "cli-progress";
import { setActiveBar } from "./show-wait.ts";

/** Prints nothing without a terminal. */
export type Progress = { show: (done: number, total: number) => void; end: () => void };

/** The bar on the terminal; there is at most one at a time. */
let activeBar: SingleBar | undefined;

/** A progress bar for a stage of a command. */
export function createProgress(stage: string, terminal = process.stderr): Progress {
  if (!terminal.isTTY) return { show: () => {}, end: () => {} };
  const bar = new SingleBar({
    stream: terminal,
    format: `${stage} {bar} {value}/{total}  {eta_formatted}{waiting}`,
    hideCursor: true,
  });
  return {
    show: (done, total) => {
      if (activeBar !== bar) bar.start(total, 0, { waiting: "" });
      activeBar = bar;
      setActiveBar(bar);
      bar.setTotal(total);
      bar.update(done);
    },
    end: () => {
      bar.stop();
      activeBar = undefined;
      setActiveBar(undefined);
    },
  };
}
