import { type SQL, sql } from "drizzle-orm";

// While an account is moved, triggers refuse every change of its rows: what changes many accounts leaves it out.

/** True in SQL, as text, for an account (a number in SQL) that may be changed. Reads no row if it is not moved. */
export const unfencedText = (owner: string): string =>
  `NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = ${owner} AND is_fenced)`;

export const unfenced = (owner: string): SQL => sql.raw(unfencedText(owner));
