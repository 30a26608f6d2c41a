/** Grows with every change of the analysis: entries of an older version are indexed again. */
export const INDEX_VERSION = 1;

const SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });
const MARKS = /\p{M}+/gu;

/** The words of a text in order: NFKC, lower case, without diacritics, cut by ICU. */
export function wordsOf(text: string): string[] {
  const folded = text.normalize("NFKC").toLowerCase().normalize("NFD").replace(MARKS, "").normalize("NFC");
  const words: string[] = [];
  for (const { segment, isWordLike } of SEGMENTER.segment(folded)) if (isWordLike) words.push(segment);
  return words;
}
