import type { EditorView } from "@codemirror/view";
import { useEffect, useState } from "react";
import { whenIdle } from "../../../state/when-idle.ts";
import styles from "../editor.module.css";
import { countDocument, countText, readingMinutes, type TextCounts } from "./count.ts";
import type { ObservedEditor } from "./editor-observer.ts";

/** Pause in typing before counting, because a long text takes some milliseconds to count. */
const PAUSE_MS = 300;

type CounterState = TextCounts & { isSelection: boolean };

function countIn({ state }: EditorView): CounterState {
  const selected = state.selection.ranges.filter(({ empty }) => !empty);
  const isSelection = selected.length > 0;
  if (!isSelection) return { ...countDocument(state.doc), isSelection };
  const text = selected.map(({ from, to }) => state.sliceDoc(from, to)).join("\n");
  return { ...countText(text), isSelection };
}

const number = (count: number) => count.toLocaleString("en");
const plural = (count: number, one: string) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

function described(counted: CounterState): string {
  const length = `${plural(counted.words, "word")}, ${plural(counted.characters, "character")}`;
  if (counted.isSelection) return `${length} selected`;
  const minutes = readingMinutes(counted);
  return minutes > 1 ? `${length}, ${minutes} minutes to read` : length;
}

/** The length of the text or the selection. */
export default function Counter({ view, watched }: ObservedEditor) {
  const [counted, setCounted] = useState<CounterState>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const countSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => whenIdle(() => setCounted(countIn(view))), PAUSE_MS);
    };
    countSoon();
    const stop = watched.listen(countSoon);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [view, watched]);
  return <p className={styles.counter}>{counted && described(counted)}</p>;
}
