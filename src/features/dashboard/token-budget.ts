/** Scripts that tokenizers were trained on. Characters of other scripts may cost one token per byte. */
const KNOWN_SCRIPTS =
  /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Devanagari}\p{sc=Thai}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{M}]/u;

/** Below these code points UTF-8 takes one, two, three and four bytes. */
const UTF8_LIMITS = [0x80, 0x800, 0x10000, 0x110000];

/** An upper bound for the tokens of a character. Checked against the tokenizers o200k_base and cl100k_base. */
function tokenWeight(character: string): number {
  if (/[a-z ]/i.test(character)) return 1 / 3;
  if (/\p{ASCII}/u.test(character)) return 0.66;
  const bytes = UTF8_LIMITS.findIndex((end) => (character.codePointAt(0) ?? 0) < end) + 1;
  return KNOWN_SCRIPTS.test(character) ? bytes / 2 : bytes;
}

/** `tokenWeight` with a cache, because a text has few distinct characters. */
function cachedTokenWeight(): typeof tokenWeight {
  const known = new Map<string, number>();
  return (character) => {
    const weight = known.get(character) ?? tokenWeight(character);
    known.set(character, weight);
    return weight;
  };
}

export function estimateTokens(text: string): number {
  const weightOf = cachedTokenWeight();
  let tokens = 0;
  for (const character of text) tokens += weightOf(character);
  return Math.ceil(tokens);
}

export function cutToTokens(text: string, budget: number): string {
  const weightOf = cachedTokenWeight();
  let tokens = 0;
  let length = 0;
  for (const character of text) {
    tokens += weightOf(character);
    if (tokens > budget) return `${text.slice(0, length)}…`;
    length += character.length;
  }
  return text;
}

const jsonTokens = (value: unknown) => estimateTokens(JSON.stringify(value));

type Shortenable = { items: unknown[]; has_more: boolean };

/** The section with the most items; if equal, the last one, because the most urgent come first. */
const longestSection = (sections: Shortenable[]) =>
  sections.reduce((a, b) => (b.items.length >= a.items.length ? b : a));

/** Drops the last items of the longest sections until the briefing fits the budget of tokens. Totals stay. */
export function fitBriefing<Briefing extends { sections: Shortenable[] }>(
  briefing: Briefing,
  budget: number,
): Briefing {
  let tokens = jsonTokens(briefing);
  while (tokens > budget && briefing.sections.length > 0) {
    const section = longestSection(briefing.sections);
    const item = section.items.pop();
    if (!item) break;
    section.has_more = true;
    tokens -= jsonTokens(item) - 1;
  }
  return briefing;
}
