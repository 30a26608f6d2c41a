/** Matched terms for display. `contract OR contract*` is the query of a word that is still being typed. */
export const matchedWordsText = (matched: readonly string[]): string =>
  matched
    .map((term) => {
      const words = term.split(" OR ");
      return words.filter((word) => !(word.endsWith("*") && words.includes(word.slice(0, -1)))).join(" or ");
    })
    .join(", ");
