// A home is a database (a shard) with everything of its users. Credentials name it.

/** The home of every user of a service with one database, and of a credential that names none. */
export const FIRST_HOME = 1;

export const HOME_PATTERN = "[1-9]\\d{0,3}";

const NAMED = new RegExp(`^(${HOME_PATTERN})\\.`);

/** The beginning of a secret that names its home, `<home>.`; empty for one that names none. */
export const homePrefix = (secret: string): string => NAMED.exec(secret)?.[0] ?? "";

export const homeIn = (secret: string): number => Number(NAMED.exec(secret)?.[1] ?? FIRST_HOME);

/** An account outside of its database: homes number their users independently. In the first, the number alone. */
export const accountName = ({ home, owner }: { home: number; owner: number }): string =>
  home === FIRST_HOME ? String(owner) : `${home}.${owner}`;
