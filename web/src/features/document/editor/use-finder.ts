import type { EditorView } from "@codemirror/view";
import { useEffect, useRef, useState } from "react";
import type { Finder } from "./find.ts";
import type { Matches, Wanted } from "./wanted.ts";
import type { Watched } from "./watched.ts";

const COUNT_MS = 100;
/** Longer words are not taken from what is selected. */
const MAX_TAKEN = 200;

/** A text, and what tells when it changes. */
export type Watching = { view: EditorView; watched: Watched };

const load = () => import("./find.ts");

/** What is selected, if it can be what somebody looks for. */
function selectedWords({ state }: EditorView): string {
  const { from, to } = state.selection.main;
  const words = state.sliceDoc(from, Math.min(to, from + MAX_TAKEN + 1));
  return words.length > MAX_TAKEN || words.includes("\n") ? "" : words;
}

/** How many matches there are, counted again after each change of the text, of the selection and of what is wanted. */
function useMatches(finder: Finder | undefined, watched: Watched, wanted: Wanted): Matches {
  const [matches, setMatches] = useState<Matches>({ total: 0, current: 0 });
  const count = useRef(() => {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is wanted is read from the editor
  useEffect(() => count.current(), [wanted]);
  useEffect(() => {
    if (!finder) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    count.current = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setMatches(finder.count()), COUNT_MS);
    };
    count.current();
    const stop = watched.listen(() => count.current());
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [finder, watched]);
  return matches;
}

/** What somebody looks for in a text, and what of it is there. Nothing is found before the library is loaded. */
export function useFinder({ view, watched }: Watching) {
  const [wanted, setWanted] = useState<Wanted>(() => ({
    ...{ search: selectedWords(view), replace: "" },
    ...{ caseSensitive: false, wholeWord: false, regexp: false },
  }));
  const [finder, setFinder] = useState<Finder>();
  const [isValid, setValid] = useState(true);
  const begin = useRef(view.state.selection.main.from);
  useEffect(() => {
    let made: Finder | undefined;
    let isOver = false;
    load().then(
      ({ finderIn }) => {
        if (isOver) return;
        made = finderIn(view);
        setFinder(made);
      },
      () => undefined,
    );
    return () => {
      isOver = true;
      made?.end();
    };
  }, [view]);
  useEffect(() => {
    if (finder) setValid(finder.look(wanted, begin.current));
  }, [finder, wanted]);
  const matches = useMatches(finder, watched, wanted);
  const want = (part: Partial<Wanted>) => setWanted((before) => ({ ...before, ...part }));
  return { wanted, want, matches, isValid, finder };
}
