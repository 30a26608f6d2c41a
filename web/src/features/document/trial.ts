import { useEffect, useRef, useState } from "react";
import { isSameButTicks } from "./tasks.tsx";

// The Markdown parser needs more than a minute for some texts of 100 kB, and cannot be stopped. Anybody's text may be such
// a one, so a long text is first parsed in a worker, which can.

/** The parser is quick with any text of this length. */
const SHORT = 1000;
const MOST_MS = 2000;

/** A text, and whether it can be rendered without stopping the page. */
type Tried = { text: string; isFine: boolean };

/**
 * A Markdown text that may be shown: the one before while this one is tried out, which keeps its place and the focus, and
 * undefined if there is none.
 */
export function useTrial(text: string): Tried | undefined {
  const [tried, setTried] = useState<Tried>();
  const shown = useRef<Tried>(undefined);
  useEffect(() => {
    if (text.length <= SHORT) return undefined;
    const worker = new Worker(new URL("./trial-worker.ts", import.meta.url), { type: "module" });
    const end = (isFine: boolean) => {
      clearTimeout(timer);
      worker.terminate();
      setTried({ text, isFine });
    };
    const timer = setTimeout(() => end(false), MOST_MS);
    worker.addEventListener("message", ({ data }: MessageEvent<boolean>) => end(data));
    // Without the worker, a text is rendered as it comes.
    worker.addEventListener("error", () => end(true));
    worker.postMessage(text);
    return () => {
      clearTimeout(timer);
      worker.terminate();
    };
  }, [text]);
  if (text.length <= SHORT) shown.current = { text, isFine: true };
  // A task that is ticked takes no longer.
  else if (tried && isSameButTicks(tried.text, text)) shown.current = { text, isFine: tried.isFine };
  return shown.current;
}
