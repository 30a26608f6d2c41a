export const numberOf = (count: number) => count.toLocaleString("en-GB");
