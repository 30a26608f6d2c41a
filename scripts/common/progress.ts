import { SingleBar } from "cli-progress";
import { setActiveBar } from "./show-wait.ts";

/** Prints nothing without a terminal. */
export type Progress = { show: (done: number, total: number) => void; end: () => void };

/** A progress bar for a stage of a command. There is at most one on the terminal at a time. */
export function createProgress(stage: string, terminal = process.stderr): Progress {
  if (!terminal.isTTY) return { show: () => {}, end: () => {} };
  const bar = new SingleBar({
    stream: terminal,
    format: `${stage} {bar} {value}/{total}  {eta_formatted}{waiting}`,
    hideCursor: true,
  });
  return {
    show: (done, total) => {
      if (!bar.isActive) bar.start(total, 0, { waiting: "" });
      setActiveBar(bar);
      bar.setTotal(total);
      bar.update(done);
    },
    end: () => {
      bar.stop();
      setActiveBar(undefined);
    },
  };
}
