/** OWASP Password Storage Cheat Sheet, first choice for argon2id: 19 MiB, two passes, one lane. */
export const COST = { memorySize: 19_456, iterations: 2, parallelism: 1, hashLength: 32 };

export const CURRENT = `$argon2id$v=19$m=${COST.memorySize},t=${COST.iterations},p=${COST.parallelism}$`;

/** Matches no password. It is verified for an unknown email, so that this takes as long as for a known one. */
export const NOBODY = `${CURRENT}AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;
