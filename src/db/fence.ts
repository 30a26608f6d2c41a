import { type SQL, sql } from "drizzle-orm";

// An account that is being moved to another home is fenced: triggers refuse every change of its rows. What changes rows of
// many accounts at once leaves out those that are fenced, or it would fail for all.

/**
 * True in SQL, as text, for an account whose rows may be changed. For one that is not moved no row is read.
 *
 * @param owner its number, in SQL; a column needs the name of its table
 */
export const unfencedText = (owner: string): string =>
  `NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = ${owner} AND is_fenced)`;

/** The same for a statement. */
export const unfenced = (owner: string): SQL => sql.raw(unfencedText(owner));
