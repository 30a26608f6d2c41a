import { useEffect, useRef, useState } from "react";
import { isSameButTicks } from "./tasks.tsx";

// The Markdown parser needs more than a minute for some texts of 100 kB, and cannot be stopped. Anybody's text may be such
// a one, so a long text is first parsed in a worker, which can.

/** The parser is quick with any text of this length. */
const SHORT = 1000;
const MOST_MS = 2000;
/** Somebody who asks for it waits so long. */
const MOST_ASKED_MS = 15_000;
/** A machine that is busy may have time later: after these pauses it is tried again. */
const PAUSES_MS = [5000, 20_000, 60_000, 180_000];

/** A text, and whether it can be rendered without stopping the page. */
type Tried = { text: string; isFine: boolean };

/** Says whether a text could be parsed in time. Returns what ends that. */
function tryOut(text: string, mostMs: number, tell: (isFine: boolean) => void): () => void {
  const worker = new Worker(new URL("./trial-worker.ts", import.meta.url), { type: "module" });
  const stop = () => {
    clearTimeout(timer);
    worker.terminate();
  };
  const end = (isFine: boolean) => {
    stop();
    tell(isFine);
  };
  const timer = setTimeout(() => end(false), mostMs);
  worker.addEventListener("message", ({ data }: MessageEvent<boolean>) => end(data));
  // Without the worker, a text is rendered as it comes.
  worker.addEventListener("error", () => end(true));
  worker.postMessage(text);
  return stop;
}

/**
 * A Markdown text that may be shown: the one before while this one is tried out, which keeps its place and the focus, and
 * undefined if there is none. `askAgain` tries once more, for longer; undefined while that is done.
 */
export function useTrial(text: string): (Tried & { askAgain: (() => void) | undefined }) | undefined {
  const [tried, setTried] = useState<Tried>();
  const [asked, setAsked] = useState({ text: "", times: 0 });
  const [isAsking, setAsking] = useState(false);
  const shown = useRef<Tried>(undefined);
  useEffect(() => {
    if (text.length <= SHORT) return undefined;
    const mostMs = isSameButTicks(asked.text, text) ? MOST_ASKED_MS : MOST_MS;
    let stop = () => {};
    const attempt = (number: number) => {
      stop = tryOut(text, mostMs, (isFine) => {
        setTried({ text, isFine });
        setAsking(false);
        const pause = PAUSES_MS[number];
        if (isFine || pause === undefined) return;
        const timer = setTimeout(() => attempt(number + 1), pause);
        stop = () => clearTimeout(timer);
      });
    };
    attempt(0);
    return () => stop();
  }, [text, asked]);
  const ask = () => {
    setAsking(true);
    setAsked(({ times }) => ({ text, times: times + 1 }));
  };
  if (text.length <= SHORT) shown.current = { text, isFine: true };
  // A task that is ticked takes no longer.
  else if (tried && isSameButTicks(tried.text, text)) shown.current = { text, isFine: tried.isFine };
  return shown.current && { ...shown.current, askAgain: isAsking ? undefined : ask };
}
