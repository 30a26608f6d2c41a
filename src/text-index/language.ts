/** Words that are frequent in English and rare in related languages: they distinguish English from other Latin text. */
const ENGLISH_MARKERS = new Set("the of and that for with this from which were been their".split(" "));

/** English function words that related languages do not have: in a short text, a single one is enough. */
const ENGLISH_ONLY = new Set(
  (
    "the and that with this from which were been their what how why who where when does did have has are these those " +
    "there would could should about between through into using"
  ).split(" "),
);

/** Whether a text is English. */
export type Language = "yes" | "no" | "unsure";

/** About 15 % of the words of English prose are markers, and almost none in related languages. */
const ENGLISH_SHARE = 0.05;
const FOREIGN_SHARE = 0.01;
/** With fewer words the share means little. */
const ENOUGH_WORDS = 20;

/** `"unsure"` for texts that are too short or too mixed to tell: they get the forms of both. */
export function english(words: readonly string[]): Language {
  if (words.length < ENOUGH_WORDS) return words.some((word) => ENGLISH_ONLY.has(word)) ? "yes" : "unsure";
  const markers = words.filter((word) => ENGLISH_MARKERS.has(word)).length;
  if (markers >= ENGLISH_SHARE * words.length) return "yes";
  return markers < FOREIGN_SHARE * words.length ? "no" : "unsure";
}
