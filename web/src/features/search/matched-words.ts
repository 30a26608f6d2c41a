/** The words of a query for display. `contract OR contract*` is the query of a word that is still being typed. */
export const matchedWordsText = (matched: readonly string[]): string =>
  matched
    .map((name) => {
      const words = name.split(" OR ");
      return words.filter((word) => !(word.endsWith("*") && words.includes(word.slice(0, -1)))).join(" or ");
    })
    .join(", ");
