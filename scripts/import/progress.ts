import { SingleBar } from "cli-progress";

/** Shows how far a stage of the import is. Says nothing where nobody watches. */
export type Progress = { show: (done: number, total: number) => void; end: () => void };

/** A progress bar on a terminal. */
export function progressOf(stage: string, terminal = process.stderr): Progress {
  if (!terminal.isTTY) return { show: () => {}, end: () => {} };
  const bar = new SingleBar({
    stream: terminal,
    format: `${stage} {bar} {value}/{total}  {eta_formatted}`,
    hideCursor: true,
  });
  let started = false;
  return {
    show: (done, total) => {
      if (!started) bar.start(total, 0);
      started = true;
      bar.update(done);
    },
    end: () => bar.stop(),
  };
}
