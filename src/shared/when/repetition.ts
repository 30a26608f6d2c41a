// Phrases of repetition: "every Monday", "twice a week", "jeden 1. des Monats". No due day is read from them, whether or not
// they are understood as a rule (contract/repeat/find-repetition.ts).

export type TextSpan = { start: number; end: number };

const WEEKDAY = "(?:mon|tues?|wednes|thurs?|fri|satur|sun)days?|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun";
const WEEKDAYS = "mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekdays|weekends";
const UNIT =
  "minutes?|hours?|days?|nights?|mornings?|afternoons?|evenings?|weekdays?|workdays?|weekends?|weeks?|fortnights?|months?|quarters?|years?";
const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const ORDINAL = "first|second|third|fourth|fifth|last|other|single|few|couple of|two|three|four|five|six";

const TAG = "(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend";
const EINHEIT =
  "minuten?|stunden?|tage?n?|nacht|nächte|morgen|vormittag|mittag|nachmittag|abend|werktag|wochenende|wochen?|monate?n?|quartale?|jahre?n?";
const MONAT = "januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember";
const ORDNUNG = "(?:erst|zweit|dritt|viert|fünft|letzt)e[nrs]?|zwei|drei|vier|fünf|sechs";

/** A date: "1st", "15.", "24.12.", "12/24". */
const NUMBER = "\\d{1,2}(?:st|nd|rd|th|[./] ?(?:\\d{1,2}\\.?)?)?";
const list = (one: string, or: string) => `(?:${one})(?:(?:,| ?[/&]|${or}) ?(?:${one})){0,7}`;

const ENGLISH = list(
  `(?:(?:${NUMBER}|${ORDINAL}) )?(?:${WEEKDAY}|${UNIT}|(?:${MONTH})(?: ${NUMBER})?)|\\d{1,2}(?:st|nd|rd|th)`,
  " and| or",
);
const GERMAN = list(
  `(?:(?:${NUMBER}|${ORDNUNG}) )?(?:(?:${TAG})(?:e|nacht)?|mo|di|mi|do|fr|sa|so|${EINHEIT}|${MONAT})|\\d{1,2}\\.(?: ?\\d{1,2}\\.)?`,
  " und| oder",
);

const PHRASES = [
  `(?:every|each(?! may )) (?:${ENGLISH})(?: (?:of|in) (?:the|each|every) (?:${UNIT}))?`,
  `(?:jede[nrsm]?|alle) (?:${GERMAN})(?: (?:des|im|in der) (?:${EINHEIT})s?)?`,
  `(?:once|twice|(?:\\d{1,2}|two|three|four) times) (?:(?:an?|per|every|each) (?:${UNIT})|daily|weekly|monthly|yearly)`,
  // People mix the languages: "every Freitag", "jeden Friday".
  `(?:every|each|jede[nrm]?) (?:${TAG}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)`,
  `of (?:every|each) (?:(?:${NUMBER}|${ORDINAL}) )?(?:${UNIT})`,
  `(?:zwei|drei|vier)mal (?:täglich|wöchentlich|monatlich|jährlich)`,
  `(?:ein|zwei|drei|vier)mal (?:pro|im|in der|am) (?:${EINHEIT})`,
  `jede[ns] (?:(?:${NUMBER}|${ORDNUNG}) )?(?:monats|quartals|jahres)`,
  "(?:bi-?)?(?:hourly|daily|weekly|monthly|quarterly|yearly|annually|fortnightly)",
  "(?:zwei|halb|viertel)?(?:stündlich|täglich|wöchentlich|monatlich|jährlich)|quartalsweise",
  `(?:on )?${list(WEEKDAYS, " and| or")}`,
  list(`(?:${TAG})s|werktags|morgens|abends`, " und| oder"),
];

const spaced = (pattern: string) =>
  pattern.replace(/ (\??)/g, (_, maybe) => (maybe ? "\\s{0,8}" : "\\s{1,8}"));

/** "Every day except Sunday", "täglich außer sonntags" */
const EXCEPTION = `,? (?:except|excluding|but not|außer|ausser)(?: for| on| am)? (?:${list(WEEKDAYS, " and| or")}|${list(`(?:${TAG})s`, " und| oder")}|${ENGLISH}|${GERMAN})`;

const PHRASE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${spaced(PHRASES.join("|"))})(?:${spaced(EXCEPTION)})?(?![\\p{L}\\p{N}])`,
  "giu",
);

export const findRepetitions = (text: string): TextSpan[] =>
  [...text.matchAll(PHRASE)].map(({ 0: phrase, index }) => ({ start: index, end: index + phrase.length }));
