/** The first letter is Hebrew, Arabic or of another script that runs from right to left. */
const RIGHT_TO_LEFT = /^\P{L}*(?=\p{L})[\u0591-\u08ff\ufb1d-\ufefc]/u;

/** The letters in the Markdown of callouts and ticked tasks are not words. */
const LETTERED_MARK = /\[(?:!.+?|x)\]/gi;

/** The direction of a text, or of its Markdown: that of its first letter. */
export const directionOf = (text: string): "rtl" | "ltr" =>
  RIGHT_TO_LEFT.test(text.slice(0, 500).replace(LETTERED_MARK, "")) ? "rtl" : "ltr";
