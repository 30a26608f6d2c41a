/** "commitment" → "Commitment" */
export const capitalized = (word: string) => word.replace(/^./u, (letter) => letter.toUpperCase());

/** "10,000" */
export const formatCount = (count: number) => count.toLocaleString("en-GB");
