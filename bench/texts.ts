// Made-up texts, the same in every run: words drawn like those of a natural language (Zipf's law), by a
// small generator with a seed (mulberry32, public domain).

const VOCABULARY = 5000;
const WORDS = 120;

/** Numbers from 0 to under 1, the same for the same seed. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SYLLABLES = ["ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo"];

/** The word of a rank; a lower rank is more frequent. */
function wordOf(rank: number): string {
  const word: string[] = [];
  for (let rest = rank + 14; rest > 0; rest = Math.floor(rest / 14)) word.push(SYLLABLES[rest % 14] ?? "");
  return word.join("");
}

const draw = (random: () => number) => wordOf(Math.floor(VOCABULARY ** random()) - 1);

const words = (random: () => number, count: number) =>
  Array.from({ length: count }, () => draw(random)).join(" ");

/** The document of a number. */
export function makeDocument(number: number) {
  const random = generator(number + 1);
  const text = words(random, WORDS);
  return { title: words(random, 5), tags: [words(random, 1)], text };
}

/** The query of a number: `count` words, as frequent as those in the texts. */
export const makeQuery = (number: number, count = 3) => words(generator(1e6 + number), count);

/** Of which characters made-up words of a script consist, and what stands between them. */
const SCRIPTS = {
  Latin: { letters: "abcdefghiklmnoprstuvwz", between: " " },
  Cyrillic: { letters: "абвгдежзиклмнопрстухя", between: " " },
  Chinese: { letters: "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年", between: "" },
};

/** A text of about so many characters; most of its words occur once. */
export function makeText(script: keyof typeof SCRIPTS, characters: number): string {
  const { letters, between } = SCRIPTS[script];
  const random = generator(characters);
  const letter = () => letters[Math.floor(random() * letters.length)];
  const word = () => Array.from({ length: 2 + Math.floor(random() * 8) }, letter).join("");
  return Array.from({ length: Math.round(characters / 6.5) }, word).join(between);
}
