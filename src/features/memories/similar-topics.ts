import { splitWords } from "../../shared/text/words.ts";

const SHORT_WORD = /^[a-z]{1,3}$/;

/** The distinct words that a topic is compared by; short words such as "the" only if there are no others. */
export function significantWords(topic: string): string[] {
  const all = [...new Set(splitWords(topic).map(({ text }) => text))];
  const long = all.filter((word) => !SHORT_WORD.test(word));
  return long.length > 0 ? long : all;
}

/** Whether the topics share at least half of the shorter one's words, and at least two if it has two. */
export function areSimilarTopics(one: string, other: string): boolean {
  const [oneWords, otherWords] = [significantWords(one), significantWords(other)];
  const shared = oneWords.filter((word) => otherWords.includes(word)).length;
  const fewest = Math.min(oneWords.length, otherWords.length);
  return shared > 0 && shared >= Math.max(Math.min(2, fewest), fewest / 2);
}
