/** Words that are frequent in English and rare in related languages: they distinguish English from other Latin text. */
const ENGLISH_MARKERS = new Set("the of and that for with this from which were been their".split(" "));

/** English function words that related languages do not have: in a short text one is enough. */
const ENGLISH_ONLY = new Set(
  (
    "the and that with this from which were been their what how why who where when does did have has are these those " +
    "there would could should about between through into using"
  ).split(" "),
);

export type IsEnglish = "yes" | "no" | "unsure";

/** About 15 % of the words of English prose are markers, and almost none in related languages. */
const ENGLISH_SHARE = 0.05;
const FOREIGN_SHARE = 0.01;
/** With fewer words the share of markers means little. */
const MIN_WORDS_FOR_SHARE = 20;

/** Whether a text is English. `"unsure"` for texts that are too short or too mixed; they get both kinds of forms. */
export function detectEnglish(words: readonly string[]): IsEnglish {
  if (words.length < MIN_WORDS_FOR_SHARE)
    return words.some((word) => ENGLISH_ONLY.has(word)) ? "yes" : "unsure";
  const markers = words.filter((word) => ENGLISH_MARKERS.has(word)).length;
  if (markers >= ENGLISH_SHARE * words.length) return "yes";
  return markers < FOREIGN_SHARE * words.length ? "no" : "unsure";
}

/** The Snowball list without contractions, plus modal verbs. Other languages rely on document frequency (score.ts). */
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
export const MIN_SENTENCE_WORDS = 5;

/**
 * The function words of a query to ignore: only if there are other words, and only in a sentence or if there are at least
 * two, so that `IT department` and `to be or not to be` stay intact. A word that stands for a fact makes a sentence:
 * `blockers of Apollo`.
 */
export function ignoredFunctionWords(
  words: readonly string[],
  means: (word: string) => boolean = () => false,
): Set<string> {
  const found = new Set(words.filter((word) => FUNCTION_WORDS.has(word)));
  if (words.every((word) => found.has(word))) return new Set();
  if (found.size >= 2 || words.length >= MIN_SENTENCE_WORDS) return found;
  return new Set(words.some(means) ? [...found].filter((word) => !means(word)) : []);
}

/** Past forms that the Porter stemmer misses, without those that are more often other words (`bit`, `saw`, `wound`). */
const IRREGULAR_VERBS =
  "arise arose arisen,awake awoke awoken,become became,begin began begun,bend bent,bleed bled,blow blew blown," +
  "break broke broken,breed bred,bring brought,build built,burn burnt,buy bought,catch caught,choose chose chosen," +
  "come came,creep crept,deal dealt,dig dug,draw drew drawn,dream dreamt,drink drank drunk,drive drove driven," +
  "eat ate,fall fell,feed fed,feel felt,fight fought,find found,flee fled,fly flew flown,forbid forbade," +
  "forget forgot,forgive forgave,freeze froze frozen,get got,give gave,go went gone,grow grew grown,hang hung," +
  "hear heard,hide hid,hold held,keep kept,kneel knelt,know knew known,lead led,leap leapt,learn learnt,leave left," +
  "lend lent,light lit,lose lost,make made,mean meant,meet met,mistake mistook,overcome overcame,pay paid,ride rode," +
  "ring rang rung,rise rose risen,run ran,say said,see seen,seek sought,sell sold,send sent,shake shook,shine shone," +
  "shoot shot,show shown,shrink shrank,sing sang sung,sink sank sunk,sit sat,sleep slept,slide slid,speak spoke spoken," +
  "spend spent,spill spilt,spin spun,spring sprang,stand stood,steal stole stolen,stick stuck,sting stung," +
  "strike struck,swear swore sworn,sweep swept,swim swam swum,swing swung,take took taken,teach taught,tear tore torn," +
  "tell told,think thought,throw threw thrown,understand understood,wake woke woken,wear wore worn,weep wept,win won," +
  "withdraw withdrew withdrawn,write wrote written";

const PAST_FORMS: ReadonlyMap<string, readonly string[]> = new Map(
  IRREGULAR_VERBS.split(",").map((forms) => {
    const [verb = "", ...past] = forms.split(" ");
    return [verb, past] as const;
  }),
);

/** Whether a question is about the past, so that verbs match their past forms: `I went` answers `when did she go?`. */
export const asksForPast = (words: readonly string[]) => words.includes("did") || words.includes("didn");

export const irregularPastForms = (verb: string): readonly string[] => PAST_FORMS.get(verb) ?? [];
