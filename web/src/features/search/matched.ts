/**
 * The words of a query that a result has, for people: `contract OR contract*` is how a word is searched for while it is typed.
 */
export const spokenWords = (matched: readonly string[]): string =>
  matched
    .map((name) => {
      const words = name.split(" OR ");
      return words.filter((word) => !(word.endsWith("*") && words.includes(word.slice(0, -1)))).join(" or ");
    })
    .join(", ");
