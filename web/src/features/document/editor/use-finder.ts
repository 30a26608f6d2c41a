import type { EditorView } from "@codemirror/view";
import { useEffect, useRef, useState } from "react";
import type { EditorObserver, ObservedEditor } from "./editor-observer.ts";
import type { Finder } from "./find.ts";
import type { MatchCount, SearchOptions } from "./search-options.ts";

const COUNT_MS = 100;
/** A longer selection is not used as the search text. */
const MAX_SELECTION = 200;

/** The selection, if it is short enough to search for and on one line. */
function selectedWords({ state }: EditorView): string {
  const { from, to } = state.selection.main;
  const words = state.sliceDoc(from, Math.min(to, from + MAX_SELECTION + 1));
  return words.length > MAX_SELECTION || words.includes("\n") ? "" : words;
}

/** The matches, counted again after each change of the text, the selection or the search. */
function useMatches(finder: Finder | undefined, watched: EditorObserver, options: SearchOptions): MatchCount {
  const [matches, setMatches] = useState<MatchCount>({ total: 0, current: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the search is read from the editor
  useEffect(() => {
    if (!finder) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const count = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setMatches(finder.count()), COUNT_MS);
    };
    count();
    const stop = watched.listen(count);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [finder, watched, options]);
  return matches;
}

/** The search in a text and its matches. There are none until the search library is loaded. */
export function useFinder({ view, watched }: ObservedEditor) {
  const [options, replaceOptions] = useState<SearchOptions>(() => ({
    search: selectedWords(view),
    replace: "",
    caseSensitive: false,
    wholeWord: false,
    regexp: false,
  }));
  const [finder, setFinder] = useState<Finder>();
  const [isValid, setValid] = useState(true);
  const searchStart = useRef(view.state.selection.main.from);
  useEffect(() => {
    let created: Finder | undefined;
    let isUnmounted = false;
    import("./find.ts").then(
      (module) => {
        if (isUnmounted) return;
        created = module.createFinder(view);
        setFinder(created);
      },
      () => undefined,
    );
    return () => {
      isUnmounted = true;
      created?.end();
    };
  }, [view]);
  useEffect(() => {
    if (finder) setValid(finder.find(options, searchStart.current));
  }, [finder, options]);
  const matches = useMatches(finder, watched, options);
  const setOptions = (part: Partial<SearchOptions>) => replaceOptions((before) => ({ ...before, ...part }));
  return { options, setOptions, matches, isValid, finder };
}
