// A shard is a database with all data of its users. Credentials contain its number.

/** The shard of a service with a single database, and of credentials without a number. */
export const FIRST_SHARD = 1;

export const SHARD_PATTERN = "[1-9]\\d{0,3}";

const PREFIX = new RegExp(`^(${SHARD_PATTERN})\\.`);

/** The `<number>.` that a secret starts with; empty without one. */
export const shardPrefix = (secret: string): string => PREFIX.exec(secret)?.[0] ?? "";

export const shardInSecret = (secret: string): number => Number(PREFIX.exec(secret)?.[1] ?? FIRST_SHARD);

/** Identifies an account across shards, which number their users independently. On the first shard only the number. */
export const globalAccountId = ({ shard, owner }: { shard: number; owner: number }): string =>
  shard === FIRST_SHARD ? String(owner) : `${shard}.${owner}`;
