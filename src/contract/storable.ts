/** Whether databases and JSON parsers preserve a string: it contains no U+0000 and no lone surrogates. */
export const isStorable = (text: string) => text.isWellFormed() && !text.includes("\u0000");
