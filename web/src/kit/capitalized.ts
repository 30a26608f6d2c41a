/** "commitment" → "Commitment" */
export const capitalized = (word: string) => word.replace(/^./u, (letter) => letter.toUpperCase());
