// A shard is a database with all data of its users. Credentials contain its number.

/** The shard of a service with a single database, and of credentials without a number. */
export const FIRST_HOME = 1;

export const HOME_PATTERN = "[1-9]\\d{0,3}";

const PREFIX = new RegExp(`^(${HOME_PATTERN})\\.`);

/** The `<number>.` that a secret starts with; empty without one. */
export const homePrefix = (secret: string): string => PREFIX.exec(secret)?.[0] ?? "";

export const homeIn = (secret: string): number => Number(PREFIX.exec(secret)?.[1] ?? FIRST_HOME);

/** Identifies an account across shards, which number their users independently. On the first shard only the number. */
export const accountName = ({ home, owner }: { home: number; owner: number }): string =>
  home === FIRST_HOME ? String(owner) : `${home}.${owner}`;
