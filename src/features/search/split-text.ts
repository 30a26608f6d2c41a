/** About 10,000 tokens. */
export const PART_LENGTH = 40_000;

/** A boundary between two parts, never inside a surrogate pair. */
function border(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

export const countParts = (text: string): number => Math.max(1, Math.ceil(text.length / PART_LENGTH));

/** One part of a text; `part` counts from 1. */
export const partOf = (text: string, part: number): string =>
  text.slice(border(text, (part - 1) * PART_LENGTH), border(text, part * PART_LENGTH));
