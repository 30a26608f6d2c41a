/** A count of documents, as it is written. */
export const numberOf = (count: number) => count.toLocaleString("en-GB");
