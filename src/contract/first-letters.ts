const baseLetter = (letter: string): string => [...letter.normalize("NFD")][0] ?? letter;

const inBothCases = (letter: string): string[] => [letter.toLowerCase(), letter.toUpperCase()];

const ACCENTED = Map.groupBy(
  Array.from({ length: 0xc0 }, (_, index) => String.fromCodePoint(0xc0 + index)),
  (letter) => baseLetter(letter).toLowerCase(),
);

/** First letters of names for which this one may be a typo: its first two letters in any case and with any accent. */
export function firstLettersLike(name: string): string[] {
  const [first = "", second = ""] = name.normalize("NFC");
  const bases = [first, second].map((letter) => baseLetter(letter).toLowerCase());
  const letters = [first, second, ...bases].flatMap(inBothCases);
  return [...new Set([...letters, ...bases.flatMap((base) => ACCENTED.get(base) ?? [])])].filter(Boolean);
}
