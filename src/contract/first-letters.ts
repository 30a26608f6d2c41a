const baseOf = (letter: string): string => [...letter.normalize("NFD")][0] ?? letter;

const inBothCases = (letter: string): string[] => [letter.toLowerCase(), letter.toUpperCase()];

const ACCENTED = Map.groupBy(
  Array.from({ length: 0xc0 }, (_, place) => String.fromCodePoint(0xc0 + place)),
  (letter) => baseOf(letter).toLowerCase(),
);

/** The letters with which a name may begin that this one is a slip for: its first two, in any case and accents. */
export function firstLettersLike(name: string): string[] {
  const [first = "", second = ""] = name.normalize("NFC");
  const bases = [first, second].map((letter) => baseOf(letter).toLowerCase());
  const letters = [first, second, ...bases].flatMap(inBothCases);
  return [...new Set([...letters, ...bases.flatMap((base) => ACCENTED.get(base) ?? [])])].filter(Boolean);
}
