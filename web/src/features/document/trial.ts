import { useEffect, useRef, useState } from "react";
import { differsOnlyInTicks } from "./tasks.tsx";

// The Markdown parser needs more than a minute for some texts of 100 kB, and cannot be stopped. So a long text is first parsed
// in a worker, which can be stopped.

/** The parser is fast with any text of at most this length. */
const SHORT = 1000;
const TIMEOUT_MS = 2000;
/** The timeout when the user asks for it. */
const REQUESTED_TIMEOUT_MS = 15_000;
/** Pauses before automatic retries, in case the device was busy. */
const RETRY_PAUSES_MS = [5000, 20_000, 60_000, 180_000];

/** A text, and whether it can be rendered without blocking the page. */
type CheckedText = { text: string; isFine: boolean };

/** Reports whether a text can be parsed in time. Returns a function that cancels the check. */
function checkParsing(text: string, timeoutMs: number, onResult: (isFine: boolean) => void): () => void {
  const worker = new Worker(new URL("./trial-worker.ts", import.meta.url), { type: "module" });
  const stop = () => {
    clearTimeout(timer);
    worker.terminate();
  };
  const end = (isFine: boolean) => {
    stop();
    onResult(isFine);
  };
  const timer = setTimeout(() => end(false), timeoutMs);
  worker.addEventListener("message", ({ data }: MessageEvent<boolean>) => end(data));
  // If the worker cannot run, the text is rendered unchecked.
  worker.addEventListener("error", () => end(true));
  worker.postMessage(text);
  return stop;
}

/**
 * The Markdown text to show. While a text is being checked, the previous one stays on screen, with its scroll position and
 * focus; undefined if there is none. `retry` checks again with a longer timeout; undefined while that is running.
 */
export function useRenderCheck(
  text: string,
): (CheckedText & { retry: (() => void) | undefined }) | undefined {
  const [checked, setChecked] = useState<CheckedText>();
  const [requested, setRequested] = useState({ text: "", times: 0 });
  const [isRetrying, setRetrying] = useState(false);
  const shown = useRef<CheckedText>(undefined);
  useEffect(() => {
    if (text.length <= SHORT) return undefined;
    const timeoutMs = differsOnlyInTicks(requested.text, text) ? REQUESTED_TIMEOUT_MS : TIMEOUT_MS;
    let stop = () => {};
    const attempt = (number: number) => {
      stop = checkParsing(text, timeoutMs, (isFine) => {
        setChecked({ text, isFine });
        setRetrying(false);
        const pause = RETRY_PAUSES_MS[number];
        if (isFine || pause === undefined) return;
        const timer = setTimeout(() => attempt(number + 1), pause);
        stop = () => clearTimeout(timer);
      });
    };
    attempt(0);
    return () => stop();
  }, [text, requested]);
  const request = () => {
    setRetrying(true);
    setRequested(({ times }) => ({ text, times: times + 1 }));
  };
  if (text.length <= SHORT) shown.current = { text, isFine: true };
  // Ticking a task does not change the parsing time.
  else if (checked && differsOnlyInTicks(checked.text, text))
    shown.current = { text, isFine: checked.isFine };
  return shown.current && { ...shown.current, retry: isRetrying ? undefined : request };
}
