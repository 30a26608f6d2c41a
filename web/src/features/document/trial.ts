import { useEffect, useState } from "react";
import { isSameButTicks } from "./tasks.tsx";

// The Markdown parser needs more than a minute for some texts of 100 kB, and cannot be stopped. Anybody's text may be such
// a one, so a long text is first parsed in a worker, which can.

/** The parser is quick with any text of this length. */
const SHORT = 1000;
const MOST_MS = 2000;

/**
 * Whether a Markdown text can be rendered without stopping the page: undefined while that is tried out.
 */
export function useTrial(text: string): boolean | undefined {
  const [tried, setTried] = useState<{ text: string; isFine: boolean }>();
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
  if (text.length <= SHORT) return true;
  // A task that is ticked takes no longer.
  return tried && isSameButTicks(tried.text, text) ? tried.isFine : undefined;
}
