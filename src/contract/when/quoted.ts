// What is in a text and says nothing of it itself: links, and words in quotation marks.

/** No phrase reaches over it: it is no letter, digit or space. */
const TAKEN = "\0";
export const taken = (words: string) => TAKEN.repeat(words.length);

/** A link or an email address, with the brackets around it. */
const LINK = /:\/\/|^\P{L}*www\.|\.\p{L}{2,24}[/?#]|\]\(|^[^@]+@[^@]+\.\p{L}/iu;
const QUOTED = /(?<![\p{L}\p{N}])(?:"[^"\n]*"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|»[^«»\n]*«|`[^`\n]*`)/gu;

/** The text with nothing in place of what names no day of its own: links, and what is only quoted. */
export const withoutQuoted = (text: string) =>
  text.replace(QUOTED, taken).replace(/\S+/g, (word) => (LINK.test(word) ? taken(word) : word));
