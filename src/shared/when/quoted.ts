// Links and quotations in a text, which do not say when it is due.

/** A filler that no phrase matches across, because it is not a letter, digit or space. */
const TAKEN = "\0";
export const blankOut = (words: string) => TAKEN.repeat(words.length);

/** A link or an email address, with the brackets around it. */
const LINK = /:\/\/|^\P{L}*www\.|\.\p{L}{2,24}[/?#]|\]\(|^[^@]+@[^@]+\.\p{L}/iu;
const QUOTED = /(?<![\p{L}\p{N}])(?:"[^"\n]*"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|»[^«»\n]*«|`[^`\n]*`)/gu;

/** The text with links and quotations blanked out, at its original length. */
export const blankOutQuoted = (text: string) =>
  text.replace(QUOTED, blankOut).replace(/\S+/g, (word) => (LINK.test(word) ? blankOut(word) : word));
