import { type RefObject, useEffect } from "react";
import { useSearch } from "wouter";

// Highlights the words of a search (`?find=`) in a document, without changing its DOM.

const HIGHLIGHT = "found";
const MAX_WORDS = 8;
const MAX_MARKS = 500;

/** The words of `?find=`, in lower case. */
export const searchedWords = (search: string): string[] =>
  [...new Set(new URLSearchParams(search).getAll("find").map((word) => word.trim().toLowerCase()))]
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS);

function rangesInNode(node: Text, words: readonly string[]): StaticRange[] {
  const text = node.data.toLowerCase();
  // A few letters change their length in lower case, which would shift the offsets.
  if (text.length !== node.data.length) return [];
  const starts = words.flatMap((word) => {
    const found: { at: number; end: number }[] = [];
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
      found.push({ at, end: at + word.length });
    return found;
  });
  let previousEnd = 0;
  return starts
    .toSorted((one, other) => one.at - other.at || other.end - one.end)
    .flatMap(({ at, end }) => {
      // Skips a word inside another match.
      if (at < previousEnd) return [];
      previousEnd = end;
      const range = { startContainer: node, startOffset: at, endContainer: node, endOffset: end };
      return [new StaticRange(range)];
    });
}

function rangesIn(element: HTMLElement, words: readonly string[]): StaticRange[] {
  const ranges: StaticRange[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MAX_MARKS; node = walker.nextNode())
    ranges.push(...rangesInNode(node as Text, words));
  return ranges;
}

/** Scrolls to a range, whose element may be taller than the screen. */
function scrollToRange({ startContainer, startOffset, endContainer, endOffset }: StaticRange): void {
  startContainer.parentElement?.scrollIntoView({ block: "center" });
  const range = new Range();
  range.setStart(startContainer, startOffset);
  range.setEnd(endContainer, endOffset);
  const { top, bottom } = range.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) scrollBy(0, (top + bottom - innerHeight) / 2);
}

/**
 * Highlights the searched words in a document, and scrolls once to the first. A component of its own, so that a change of the
 * query, such as opening the editor, does not render the text again.
 */
export function SearchHighlights({ article }: { article: RefObject<HTMLElement | null> }): null {
  const search = useSearch();
  useEffect(() => {
    const words = searchedWords(search);
    const element = article.current;
    if (words.length === 0 || !element || !("highlights" in CSS)) return undefined;
    let scrolledTo: Node | undefined;
    const mark = () => {
      const ranges = rangesIn(element, words);
      CSS.highlights.set(HIGHLIGHT, new Highlight(...ranges));
      const [first] = ranges;
      // Scrolls again only if the text was rendered anew.
      if (!first || scrolledTo?.isConnected) return;
      scrolledTo = first.startContainer;
      scrollToRange(first);
    };
    mark();
    // The text appears once its renderer has loaded.
    const observer = new MutationObserver(mark);
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete(HIGHLIGHT);
    };
  }, [article, search]);
  return null;
}
