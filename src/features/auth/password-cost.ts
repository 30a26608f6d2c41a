/** OWASP Password Storage Cheat Sheet, first choice for argon2id: 19 MiB, two passes, one lane. */
export const ARGON2_COST = { memorySize: 19_456, iterations: 2, parallelism: 1, hashLength: 32 };

export const CURRENT_HASH_PREFIX = `$argon2id$v=19$m=${ARGON2_COST.memorySize},t=${ARGON2_COST.iterations},p=${ARGON2_COST.parallelism}$`;

/** Matches no password. It is verified for an unknown email, so that this takes as long as for a known one. */
export const UNMATCHABLE_HASH = `${CURRENT_HASH_PREFIX}AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;
