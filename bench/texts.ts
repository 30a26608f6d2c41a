import { random as generator } from "../test/kit/random.ts";

// Generated texts, the same in every run. Word frequencies follow Zipf's law, as in natural languages.

const VOCABULARY = 5000;
const WORDS = 120;

const SYLLABLES = ["ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo"];

/** The word with this frequency rank; 0 is the most frequent. */
function wordOf(rank: number): string {
  const word: string[] = [];
  for (let rest = rank + 14; rest > 0; rest = Math.floor(rest / 14)) word.push(SYLLABLES[rest % 14] ?? "");
  return word.join("");
}

const draw = (random: () => number, vocabulary = VOCABULARY) =>
  wordOf(Math.floor(vocabulary ** random()) - 1);

const words = (random: () => number, count: number) =>
  Array.from({ length: count }, () => draw(random)).join(" ");

export function makeDocument(number: number) {
  const random = generator(number + 1);
  const text = words(random, WORDS);
  return { title: words(random, 5), tags: [words(random, 1)], text };
}

export const makeQuery = (number: number, count = 3) => words(generator(1e6 + number), count);

const LONG_VOCABULARY = 50_000;

/** A text of about `characters` characters. */
export function makeLongText(number: number, characters: number): string {
  const random = generator(number + 1);
  const text: string[] = [];
  for (let length = 0; length < characters; length += (text.at(-1)?.length ?? 0) + 1)
    text.push(draw(random, LONG_VOCABULARY));
  return text.join(" ");
}

/** As many of the most frequent words as fit. */
export function frequentWords(characters: number, between = " "): string {
  let text = wordOf(0);
  for (let rank = 1; ; rank++) {
    const longer = text + between + wordOf(rank);
    if (longer.length > characters) return text;
    text = longer;
  }
}

const LETTERS = "abcdefghiklmnoprstuvwz";

/** A text of about `characters` characters, most of whose words occur only once. */
export function makeText(characters: number): string {
  const random = generator(characters);
  const below = (limit: number) => Math.floor(random() * limit);
  const letters = () => Array.from({ length: 2 + below(8) }, () => LETTERS[below(LETTERS.length)]).join("");
  return Array.from({ length: Math.round(characters / 6.5) }, letters).join(" ");
}
