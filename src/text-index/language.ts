/** Words that are frequent in English and rare or absent in its neighbours: they tell English from other Latin text. */
const ENGLISH_MARKERS = new Set("the of and that for with this from which were been their".split(" "));

/** Function words of English that no other language writes so: one of them is enough to tell a short text. */
const ENGLISH_ONLY = new Set(
  (
    "the and that with this from which were been their what how why who where when does did have has are these those " +
    "there would could should about between through into using"
  ).split(" "),
);

/** Frequent function words of other languages in Latin script (folded) that English does not have. */
const FOREIGN = new Set(
  (
    "der das und den dem des ein eine einer eines ist nicht mit sich auf fur wie wer " +
    "le les el los las del que qui une du il che di della per con por para como sono " +
    "het een van niet och att det som ar ett hur vad af er til hvad hvor hva og ikke " +
    "yang dan dengan untuk dari adalah apa ya wa na kwa ni katika nini je nao zao cua va la khong nhung jest sie nie czy ktory bir ve ne icin bu"
  ).split(" "),
);

/** Whether a text is English. */
export type Language = "yes" | "no" | "unsure";

/** English prose has a share of markers of about 15 %, its neighbours next to none. */
const ENGLISH_SHARE = 0.05;
/** Other prose has as large a share of function words of its own. */
const FOREIGN_SHARE = 0.03;
/** Under this many words the share says little, and single words decide. */
const ENOUGH_WORDS = 20;

/** Whether words are English. `"unsure"` for texts that are too short or too mixed to tell, such as lists of names. */
export function english(words: readonly string[]): Language {
  const count = (list: ReadonlySet<string>) => words.filter((word) => list.has(word)).length;
  const others = count(FOREIGN);
  if (words.length >= ENOUGH_WORDS) {
    if (count(ENGLISH_MARKERS) >= ENGLISH_SHARE * words.length) return "yes";
    if (others < FOREIGN_SHARE * words.length) return "unsure";
  }
  const ours = count(ENGLISH_ONLY);
  if (ours === others) return "unsure";
  return ours > others ? "yes" : "no";
}
