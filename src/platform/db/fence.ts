import { type SQL, sql } from "drizzle-orm";

// While an account is migrated to another shard, it is fenced: triggers reject every change of its rows. Statements that
// change the rows of many accounts have to skip it.

/** True in SQL for an account (`owner`: its number in SQL) that is not fenced. Reads no row if it is not being migrated. */
export const notFencedText = (owner: string): string =>
  `NOT EXISTS (SELECT 1 FROM moves WHERE moves.owner = ${owner} AND is_fenced)`;

export const notFenced = (owner: string): SQL => sql.raw(notFencedText(owner));
