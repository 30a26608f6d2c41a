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
import { type Extension, StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { MAX_COUNTED, type Matches, type Wanted } from "./wanted.ts";

// What finds words in a text. Its panel is find-bar.tsx; the one of the library stays empty.

const MATCH = { background: "var(--mark)", borderRadius: "0.15rem" };

const finding: Extension = [
  search({
    createPanel: () => ({ dom: document.createElement("div") }),
    // In the middle, where nothing covers it.
    scrollToMatch: (range) => EditorView.scrollIntoView(range, { y: "center" }),
  }),
  EditorView.theme({
    ".cm-panels": { display: "none" },
    ".cm-searchMatch": MATCH,
    ".cm-searchMatch-selected": { ...MATCH, outline: "2px solid var(--accent)" },
  }),
];

/** Those that have it already. */
const able = new WeakSet<EditorView>();

/** Looks for something from a place of the text on, and selects it where it is first. False if it is no expression. */
function lookFor(view: EditorView, wanted: Wanted, from: number): boolean {
  const query = new SearchQuery({ ...wanted, literal: !wanted.regexp });
  view.dispatch({ effects: setSearchQuery.of(query) });
  if (!query.valid) return wanted.search === "";
  const isThere = (start: number) => query.getCursor(view.state, start).next();
  const behind = isThere(from);
  const { value, done } = behind.done ? isThere(0) : behind;
  if (done) return true;
  view.dispatch({
    selection: { anchor: value.from, head: value.to },
    effects: EditorView.scrollIntoView(value.from, { y: "center" }),
  });
  return true;
}

/** How often the text has what is looked for. */
function countMatches({ state }: EditorView): Matches {
  const query = getSearchQuery(state);
  if (!query.valid) return { total: 0, current: 0 };
  const { from, to } = state.selection.main;
  const matches = query.getCursor(state);
  let [total, current] = [0, 0];
  for (let match = matches.next(); !match.done && total <= MAX_COUNTED; match = matches.next()) {
    total += 1;
    if (match.value.from === from && match.value.to === to) current = total;
  }
  return { total, current };
}

/** Replaces all matches in one step. Returns how many there were, of those that are counted. */
function replaceEvery(view: EditorView): number {
  const { total } = countMatches(view);
  return replaceAll(view) ? total : 0;
}

/** What finds in a text. Matches are marked until its end. */
export function finderIn(view: EditorView) {
  if (!able.has(view)) view.dispatch({ effects: StateEffect.appendConfig.of(finding) });
  able.add(view);
  openSearchPanel(view);
  return {
    look: (wanted: Wanted, from: number) => lookFor(view, wanted, from),
    count: () => countMatches(view),
    next: () => findNext(view),
    previous: () => findPrevious(view),
    replace: () => replaceNext(view),
    replaceEvery: () => replaceEvery(view),
    end: () => closeSearchPanel(view),
  };
}

export type Finder = ReturnType<typeof finderIn>;
