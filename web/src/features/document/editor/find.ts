import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  openSearchPanel,
  replaceAll,
  replaceNext,
  SearchQuery,
  search,
  setSearchQuery,
} from "@codemirror/search";
import { EditorSelection, type Extension, type SelectionRange, StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { whileSettling } from "../unformatted.ts";
import { MAX_COUNTED_MATCHES, type MatchCount, type SearchOptions } from "./search-options.ts";

// Search in the editor. The panel is find-bar.tsx; the library's own panel stays empty.

const MATCH = { background: "var(--mark)", borderRadius: "0.15rem" };

/** Scrolls to a match that is being selected: to the middle, where no bar covers it. */
function scrollToMatch(range: SelectionRange, view: EditorView) {
  const middle = (visualViewport?.height ?? innerHeight) / 2;
  const correct = () => {
    const { top = middle } = (view.dom.isConnected && view.coordsAtPos(view.state.selection.main.from)) || {};
    if (Math.abs(top - middle) >= 1) scrollBy({ top: top - middle, behavior: "instant" });
  };
  // The editor itself corrects for heights above only while it has the focus. After the event, whose key would end this.
  requestAnimationFrame(() => whileSettling(correct));
  return EditorView.scrollIntoView(range, { y: "start", yMargin: middle });
}

const searchExtension: Extension = [
  search({
    createPanel: () => ({ dom: document.createElement("div") }),
    scrollToMatch,
  }),
  EditorView.theme({
    ".cm-panels": { display: "none" },
    ".cm-searchMatch": MATCH,
    ".cm-searchMatch-selected": { ...MATCH, outline: "2px solid var(--accent)" },
  }),
];

/** Editors that have the search extension. */
const extended = new WeakSet<EditorView>();

/** Selects the first match after an offset, or else from the start. Returns false for an invalid regular expression. */
function selectFirst(view: EditorView, options: SearchOptions, from: number): boolean {
  const query = new SearchQuery({ ...options, literal: !options.regexp });
  view.dispatch({ effects: setSearchQuery.of(query) });
  if (!query.valid) return options.search === "";
  const firstFrom = (start: number) => query.getCursor(view.state, start).next();
  const after = firstFrom(from);
  const { value, done } = after.done ? firstFrom(0) : after;
  if (done) return true;
  const match = EditorSelection.range(value.from, value.to);
  view.dispatch({ selection: match, effects: scrollToMatch(match, view) });
  return true;
}

function countMatches({ state }: EditorView): MatchCount {
  const query = getSearchQuery(state);
  if (!query.valid) return { total: 0, current: 0 };
  const { from, to } = state.selection.main;
  const matches = query.getCursor(state);
  let [total, current] = [0, 0];
  for (let match = matches.next(); !match.done && total <= MAX_COUNTED_MATCHES; match = matches.next()) {
    total += 1;
    if (match.value.from === from && match.value.to === to) current = total;
  }
  return { total, current };
}

/** Matches are highlighted until `end`. */
export function createFinder(view: EditorView) {
  if (!extended.has(view)) view.dispatch({ effects: StateEffect.appendConfig.of(searchExtension) });
  extended.add(view);
  openSearchPanel(view);
  return {
    find: (options: SearchOptions, from: number) => selectFirst(view, options, from),
    count: () => countMatches(view),
    next: () => findNext(view),
    previous: () => findPrevious(view),
    replace: () => replaceNext(view),
    /** Returns the number of replaced matches, up to the counting limit. */
    replaceEvery: () => {
      const { total } = countMatches(view);
      return replaceAll(view) ? total : 0;
    },
    end: () => closeSearchPanel(view),
  };
}

export type Finder = ReturnType<typeof createFinder>;
