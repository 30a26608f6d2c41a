import { type RefObject, useEffect } from "react";
import { useSearch } from "wouter";

// Whoever comes from a search is led to what was found: `?find=` has the words, and the text is not changed for it.

const NAME = "found";
const MOST_WORDS = 8;
const MOST_MARKS = 500;

/** The words of `?find=`, as they are written in the text. */
export const wordsIn = (search: string): string[] =>
  [...new Set(new URLSearchParams(search).getAll("find").map((word) => word.trim().toLowerCase()))]
    .filter((word) => word !== "")
    .slice(0, MOST_WORDS);

/** Where a text has one of the words, in its order. */
function placesIn(node: Text, words: readonly string[]): StaticRange[] {
  const text = node.data.toLowerCase();
  // A few letters have another length in lower case.
  if (text.length !== node.data.length) return [];
  const starts = words.flatMap((word) => {
    const found: { at: number; end: number }[] = [];
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
      found.push({ at, end: at + word.length });
    return found;
  });
  let free = 0;
  return starts
    .toSorted((one, other) => one.at - other.at || other.end - one.end)
    .flatMap(({ at, end }) => {
      // One word may be the beginning of another.
      if (at < free) return [];
      free = end;
      const place = { startContainer: node, startOffset: at, endContainer: node, endOffset: end };
      return [new StaticRange(place)];
    });
}

/** Where the words are in the text below an element. */
function placesOf(element: HTMLElement, words: readonly string[]): StaticRange[] {
  const places: StaticRange[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && places.length < MOST_MARKS; node = walker.nextNode())
    places.push(...placesIn(node as Text, words));
  return places;
}

/** Brings a place into sight: its element may be higher than the screen. */
function show({ startContainer, startOffset, endContainer, endOffset }: StaticRange): void {
  startContainer.parentElement?.scrollIntoView({ block: "center" });
  const range = new Range();
  range.setStart(startContainer, startOffset);
  range.setEnd(endContainer, endOffset);
  const { top, bottom } = range.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) scrollBy(0, (top + bottom - innerHeight) / 2);
}

/** Marks what was searched for in the text of a document, and brings the first of it into sight once. */
export function useFoundMarks(article: RefObject<HTMLElement | null>): void {
  const search = useSearch();
  useEffect(() => {
    const words = wordsIn(search);
    const element = article.current;
    if (words.length === 0 || !element || !("highlights" in CSS)) return undefined;
    let seen: Node | undefined;
    const mark = () => {
      const ranges = placesOf(element, words);
      CSS.highlights.set(NAME, new Highlight(...ranges));
      const [first] = ranges;
      // What is rendered later stands elsewhere.
      if (!first || seen?.isConnected) return;
      seen = first.startContainer;
      show(first);
    };
    mark();
    // The text is rendered when its renderer is loaded.
    const observer = new MutationObserver(mark);
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [article, search]);
}
