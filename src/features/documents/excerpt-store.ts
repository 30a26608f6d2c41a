import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx } from "../../platform/core/ctx.ts";
import { firstIdsWithin } from "../../platform/db/delete-in-steps.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { documentExcerpt } from "../../shared/markdown/excerpt.ts";

// The cron handler writes excerpts for documents stored before excerpts existed, account by account, in order of id.

const MAX_STEPS = 20;
const DOCUMENTS_PER_STEP = 200;
const BYTES_PER_STEP = 512 * 1024;

const lacksExcerpts = sql`excerpts_after IS NOT NULL AND ${notFenced("users.number")}`;

export const hasMissingExcerpts = (): SQL => sql`EXISTS (SELECT 1 FROM users WHERE ${lacksExcerpts})`;

type ExcerptProgress = { owner: number; after: string };
type Row = { id: string; title: string; content: string | null; version: number };

const nextRows = ({ db }: BaseCtx, { owner, after }: ExcerptProgress) =>
  db.all<Row>(sql`SELECT id, title, content, version FROM documents
    WHERE id IN (${firstIdsWithin(
      sql`SELECT id, coalesce(octet_length(content), 0) AS bytes FROM documents
        WHERE owner = ${owner} AND id > ${after} ORDER BY id LIMIT ${DOCUMENTS_PER_STEP}`,
      BYTES_PER_STEP,
    )}) ORDER BY id`);

/** Skips documents written in the meantime, which have their excerpt already. */
const writeStatement = ({ db }: BaseCtx, { owner }: ExcerptProgress, rows: Row[]) => {
  const excerpts = rows.map(({ id, title, content, version }) => {
    const document = { title, content: content === null ? null : JSON.parse(content) };
    return [id, version, documentExcerpt(document)];
  });
  // `+` makes SQLite look up the ids instead of reading all documents of the account.
  return db.run(sql`UPDATE documents SET excerpt = w.value ->> 2 FROM json_each(${JSON.stringify(excerpts)}) AS w
    WHERE documents.id = w.value ->> 0 AND documents.version = w.value ->> 1 AND +documents.owner = ${owner}
      AND excerpt IS NULL AND ${notFenced("documents.owner")}`);
};

/** One bounded step; returns whether there was anything to do. */
async function completeNextExcerpts(base: BaseCtx): Promise<boolean> {
  const [account] = await base.db.all<ExcerptProgress>(
    sql`SELECT number AS owner, excerpts_after AS after FROM users WHERE ${lacksExcerpts} LIMIT 1`,
  );
  if (!account) return false;
  const rows = await nextRows(base, account);
  await base.db.batch([
    writeStatement(base, account, rows),
    base.db.run(sql`UPDATE users SET excerpts_after = ${rows.at(-1)?.id ?? null}
      WHERE number = ${account.owner} AND ${notFenced("users.number")}`),
  ]);
  return true;
}

/** Writes missing excerpts, a bounded number per run. */
export async function completeExcerpts(base: BaseCtx): Promise<void> {
  for (let step = 0; step < MAX_STEPS && (await completeNextExcerpts(base)); step++) await yieldToOthers();
}
