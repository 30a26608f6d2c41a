import type { Text } from "@codemirror/state";

export type TextCounts = { words: number; characters: number };

/** Scripts without spaces between words: each character counts as a word. */
const WORD_CHARACTER =
  "\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|\\p{Script=Thai}|\\p{Script=Lao}|\\p{Script=Khmer}";
const WORD = new RegExp(
  `${WORD_CHARACTER}|(?:(?!${WORD_CHARACTER})[\\p{L}\\p{N}\\p{M}])+(?:['’.,-](?:(?!${WORD_CHARACTER})[\\p{L}\\p{N}\\p{M}])+)*`,
  "gu",
);
const WORDS_PER_MINUTE = 230;

/** Counts the words of a text, without Markdown markup, and its characters, without line breaks. */
export function countText(text: string): TextCounts {
  let words = 0;
  for (const _ of text.matchAll(WORD)) words += 1;
  const characters = text.replace(/\n/g, "");
  return { words, characters: [...characters].length };
}

const cache = new WeakMap<Text, TextCounts>();

const sum = (all: readonly TextCounts[]): TextCounts => ({
  words: all.reduce((count, { words }) => count + words, 0),
  characters: all.reduce((count, { characters }) => count + characters, 0),
});

/** Counts an editor's text. Its parts consist of whole lines and are cached, because unchanged parts stay the same objects. */
export function countDocument(doc: Text): TextCounts {
  const known = cache.get(doc);
  if (known) return known;
  const counts = doc.children ? sum(doc.children.map(countDocument)) : countText(doc.toString());
  cache.set(doc, counts);
  return counts;
}

export const readingMinutes = ({ words }: TextCounts): number => Math.ceil(words / WORDS_PER_MINUTE);
