import { splitWords } from "../src/shared/text/words.ts";
import { random as generator } from "../test/kit/random.ts";

// Queries of three words, unchanged and with a typing error in one of them.

type Text = { id: string; title?: string; text: string };

const WORDS = 3;
const CORRECTABLE = /^\p{L}{4,}$/u;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz";

/** Inserts, deletes, replaces or transposes a letter (Damerau 1964) anywhere in the word. */
function mistype(word: string, random: () => number): string {
  const letters = [...word];
  const below = (limit: number) => Math.floor(random() * limit);
  const place = below(letters.length);
  const letter = ALPHABET[below(ALPHABET.length)] ?? "";
  switch (below(4)) {
    case 0:
      return letters.toSpliced(place, 1).join("");
    case 1:
      return letters.toSpliced(place, 0, letter).join("");
    case 2:
      return letters.with(place, letter).join("");
    default: {
      const [first = "", second = ""] = letters.slice(place, place + 2);
      return letters.toSpliced(place, 2, second, first).join("");
    }
  }
}

/** The number of texts in which each word occurs. */
function countWords(documents: Text[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { title = "", text } of documents) {
    const found = new Set(splitWords(`${title}\n${text}`).map((word) => word.text));
    for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

type Slips = { typed: Text[]; slipped: Text[]; whole: Text[]; wholeSlipped: Text[] };

/**
 * The three rarest words of each query that occur in the texts, and the same with a typing error; and these queries as they
 * are, with the same error.
 */
export function slipsOf(queries: Text[], documents: Text[]): Slips {
  const counts = countWords(documents);
  const random = generator(queries.length);
  const typed: Text[] = [];
  const slipped: Text[] = [];
  const whole: Text[] = [];
  const wholeSlipped: Text[] = [];
  for (const { id, text } of queries) {
    const found = new Set(splitWords(text).map((word) => word.text));
    const known = [...found].filter((word) => CORRECTABLE.test(word) && counts.has(word));
    const rarest = known.sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0)).slice(0, WORDS);
    if (rarest.length < WORDS) continue;
    const place = Math.floor(random() * WORDS);
    typed.push({ id, text: rarest.join(" ") });
    const [word = "", wrong] = [rarest[place], mistype(rarest[place] ?? "", random)];
    slipped.push({ id, text: rarest.with(place, wrong).join(" ") });
    whole.push({ id, text });
    wholeSlipped.push({ id, text: text.replace(new RegExp(`\\b${word}\\b`, "gi"), wrong) });
  }
  return { typed, slipped, whole, wholeSlipped };
}
