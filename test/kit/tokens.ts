/** Words with the space before them, numbers of up to three digits, and punctuation: o200k_base splits a text like this. */
const PIECE = / ?[A-Z]?[a-z]+|[A-Z]+|\d{1,3}|[^\sA-Za-z0-9]+/g;
/** Such as `"},`, for which there is no token: it takes two. */
const CLOSING = /["\]}][\]}]/;

/**
 * gpt-tokenizer 4.0.0 (30 MB) finds 3,641 tokens of o200k_base in the definitions of our 17 tools, which have 3,622 pieces.
 * For one tool alone, the result is up to 4 % off; for a change of one tool, the sum is off by less than ten tokens.
 */
const TOKENS_PER_PIECE = 1.005;

/** About how many tokens a model makes of JSON with English texts. */
export function tokensOf(value: unknown): number {
  const pieces = JSON.stringify(value).match(PIECE) ?? [];
  const closing = pieces.filter((piece) => CLOSING.test(piece));
  return (pieces.length + closing.length) * TOKENS_PER_PIECE;
}
