/**
 * English function words (the Snowball project's list, without its contractions, with the modal verbs).
 * Questions are full of them, and they say nothing about the topic. In other languages, word counts serve the
 * same purpose: words that occur in most of the caller's texts weigh next to nothing (`rank.ts`).
 */
const FUNCTION_WORDS = new Set(
  (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself " +
    "it its itself they them their theirs themselves what which who whom this that these those am is are was were be " +
    "been being have has had having do does did doing a an the and but if or because as until while of at by for with " +
    "about against between into through during before after above below to from up down in out on off over under again " +
    "further then once here there when where why how all any both each few more most other some such no nor not only own " +
    "same so than too very s t can will just don should now could would may might must shall"
  ).split(" "),
);

/** A query of at least this many words is treated as a sentence. */
export const SENTENCE = 5;

/**
 * The function words of a query that can be ignored: only if there are other words, and only in a sentence or if there
 * are at least two, so that `IT department` and `to be or not to be` are searched for as they are.
 *
 * @param means whether a word says what a record is. With one, a query is read as a sentence: `blockers of Apollo`
 */
export function functionWords(
  words: readonly string[],
  means: (word: string) => boolean = () => false,
): Set<string> {
  const found = new Set(words.filter((word) => FUNCTION_WORDS.has(word)));
  if (words.every((word) => found.has(word))) return new Set();
  if (found.size >= 2 || words.length >= SENTENCE) return found;
  return new Set(words.some(means) ? [...found].filter((word) => !means(word)) : []);
}
