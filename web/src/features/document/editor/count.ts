import type { Text } from "@codemirror/state";

export type Counts = { words: number; characters: number };

/** Scripts without spaces between words: each sign counts as one. */
const SIGN =
  "\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|\\p{Script=Thai}|\\p{Script=Lao}|\\p{Script=Khmer}";
const WORD = new RegExp(
  `${SIGN}|(?:(?!${SIGN})[\\p{L}\\p{N}\\p{M}])+(?:['’.,-](?:(?!${SIGN})[\\p{L}\\p{N}\\p{M}])+)*`,
  "gu",
);
const PER_MINUTE = 230;

/** The words of a text, in which the marks of Markdown are none, and its characters without the ends of lines. */
export function countsOf(text: string): Counts {
  let words = 0;
  for (const _ of text.matchAll(WORD)) words += 1;
  const characters = text.replace(/\n/g, "");
  return { words, characters: [...characters].length };
}

const counted = new WeakMap<Text, Counts>();

const sum = (all: readonly Counts[]): Counts => ({
  words: all.reduce((count, { words }) => count + words, 0),
  characters: all.reduce((count, { characters }) => count + characters, 0),
});

/** The same of a text in the editor, whose parts are whole lines and stay the same objects until they are changed. */
export function countsIn(doc: Text): Counts {
  const known = counted.get(doc);
  if (known) return known;
  const counts = doc.children ? sum(doc.children.map(countsIn)) : countsOf(doc.toString());
  counted.set(doc, counts);
  return counts;
}

/** How long one reads so many words, in whole minutes. */
export const readingMinutes = ({ words }: Counts): number => Math.ceil(words / PER_MINUTE);
