/** Values of words, given as `one|two` for words of the same value. */
export const byName = <T>(...words: readonly [names: string, value: T][]): Record<string, T> =>
  Object.fromEntries(words.flatMap(([names, value]) => names.split("|").map((name) => [name, value])));
