const ENGLISH = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const GERMAN = "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(" ");

const NUMBER_WORDS: Readonly<Record<string, number>> = Object.fromEntries([
  ...[ENGLISH, GERMAN].flatMap((words) => words.map((word, index) => [word, index + 1] as const)),
  ..."a an eine einem einen einer eins".split(" ").map((word) => [word, 1] as const),
]);

export const ANY_NUMBER_WORD = Object.keys(NUMBER_WORDS).join("|");

/** Hours as words, without articles: "at a" is not an hour. */
export const HOUR_WORDS = [...ENGLISH, "eins", ...GERMAN.slice(1)].join("|");

export const parseNumberWord = (word = ""): number => NUMBER_WORDS[word] ?? Number(word);
