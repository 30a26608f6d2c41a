import { newSecret } from "../platform/core/secret.ts";

// A home is a database with everything of its users. Credentials name it, so that a request opens the right one.

/** The home of every user of a service with one database, and of a credential that names none. */
export const FIRST_HOME = 1;

/** The number of a home, as a pattern. */
export const HOME_PATTERN = "[1-9]\\d{0,3}";

const NAMED = new RegExp(`^(${HOME_PATTERN})\\.`);

/** A new secret that names its home: `<home>.<secret>`. */
export const newSecretOf = (home: number): string => `${home}.${newSecret()}`;

/** The beginning of a secret that names its home, `<home>.`; empty for one that names none. */
export const homePrefix = (secret: string): string => NAMED.exec(secret)?.[0] ?? "";

/** The home that a secret names. */
export const homeIn = (secret: string): number => Number(NAMED.exec(secret)?.[1] ?? FIRST_HOME);

/**
 * What an account is called outside of its database, such as by a Durable Object: homes number their users
 * independently. In the first home it is the number alone.
 */
export const accountName = ({ home, owner }: { home: number; owner: number }): string =>
  home === FIRST_HOME ? String(owner) : `${home}.${owner}`;
