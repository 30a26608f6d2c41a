import { type SQL, sql } from "drizzle-orm";
import type { BaseCtx, OwnerCtx } from "../../platform/core/ctx.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { catchRefusal, sendBatch } from "../../platform/db/call.ts";
import { firstIdsWithin } from "../../platform/db/delete-in-steps.ts";
import { notFenced } from "../../platform/db/fence.ts";
import { documents } from "../../platform/db/tables.ts";
import { yieldToOthers } from "../../platform/queue/yield.ts";
import { documentExcerpt } from "../../shared/markdown/excerpt.ts";
import { NO_TITLE_KEY, taskCounts, titleKey } from "./derived-columns.ts";
import { targetsOf } from "./link-bytes.ts";
import { earlierLinkStatements } from "./link-store.ts";
import { UNCOUNTED_DOCUMENTS } from "./task-count-store.ts";

// The cron handler writes the derived columns of documents from earlier releases. A document written in the meantime has them
// already and is skipped.

/** Limits of a step. Writing a column rewrites its row, including the content. */
const DOCUMENTS_PER_STEP = 500;
const BYTES_PER_STEP = 1024 * 1024;
/** Steps per run: at most 200 MB or 100,000 documents. */
const MAX_STEPS = 200;

/** The ids of the next documents, in SQL. `some`: table and condition. */
const nextIds = (some: SQL) =>
  firstIdsWithin(
    sql`SELECT id, coalesce(octet_length(content), 0) AS bytes FROM ${some}
    AND ${notFenced("documents.owner")} LIMIT ${DOCUMENTS_PER_STEP}`,
    BYTES_PER_STEP,
  );

/** Repeats a step, which returns whether there was anything to do. */
async function runSteps(step: () => Promise<boolean>, most = MAX_STEPS): Promise<void> {
  for (let count = 0; count < most && (await step()); count++) await yieldToOthers();
}

const parseContent = (content: string | null) => (content === null ? null : JSON.parse(content));

export const hasUncountedDocuments = (): SQL => sql`EXISTS (SELECT 1 FROM ${UNCOUNTED_DOCUMENTS})`;

/** GLOB for contents (JSON) that may contain a task. Other contents are not loaded. */
const MAY_HAVE_TASKS = sql.raw("*[[][ xX\\]*");

export const countMissingTasks = ({ db }: BaseCtx): Promise<void> =>
  runSteps(async () => {
    const rows = await db.all<{ id: string; version: number; content: string | null }>(sql`
        SELECT id, version, iif(content GLOB '${MAY_HAVE_TASKS}', content, NULL) AS content FROM documents
        WHERE id IN (${nextIds(UNCOUNTED_DOCUMENTS)})`);
    if (rows.length === 0) return false;
    const counts = rows.map(({ id, version, content }) => {
      const { open_tasks, done_tasks } = taskCounts(parseContent(content));
      return [id, version, open_tasks, done_tasks];
    });
    await db.run(sql`UPDATE ${documents} SET open_tasks = w.value ->> 2, done_tasks = w.value ->> 3
        FROM json_each(${JSON.stringify(counts)}) AS w
        WHERE documents.id = w.value ->> 0 AND documents.version = w.value ->> 1 AND documents.open_tasks IS NULL
          AND ${notFenced("documents.owner")}`);
    return true;
  });

const KEYLESS_DOCUMENTS = sql`documents INDEXED BY documents_keyless_idx
  WHERE title_key IS NULL AND (title GLOB '*[^ -~]*' OR title <> trim(title))`;

/** A document with more content, from an earlier release, may have no room for a key. */
const MAX_CONTENT_WITH_KEY = 1_990_000;

export const hasMissingTitleKeys = (): SQL => sql`EXISTS (SELECT 1 FROM ${KEYLESS_DOCUMENTS})`;

export const completeTitleKeys = ({ db }: BaseCtx): Promise<void> =>
  runSteps(async () => {
    const rows = await db.all<{ id: string; title: string; is_large: number }>(sql`
        SELECT id, title, coalesce(octet_length(content), 0) > ${MAX_CONTENT_WITH_KEY} AS is_large
        FROM documents WHERE id IN (${nextIds(KEYLESS_DOCUMENTS)})`);
    if (rows.length === 0) return false;
    const keys = rows.map(({ id, title, is_large }) => [
      id,
      title,
      is_large ? NO_TITLE_KEY : titleKey(title),
    ]);
    await db.run(sql`UPDATE documents SET title_key = w.value ->> 2 FROM json_each(${JSON.stringify(keys)}) AS w
        WHERE documents.id = w.value ->> 0 AND documents.title = w.value ->> 1 AND ${notFenced("documents.owner")}`);
    return true;
  });

/** Excerpts are written account by account, in order of id. */
const EXCERPT_STEPS = 20;
const EXCERPTS_PER_STEP = 200;
const EXCERPT_BYTES_PER_STEP = 512 * 1024;

const LACKS_EXCERPTS = sql`excerpts_after IS NOT NULL AND ${notFenced("users.number")}`;

export const hasMissingExcerpts = (): SQL => sql`EXISTS (SELECT 1 FROM users WHERE ${LACKS_EXCERPTS})`;

type ContentRow = { id: string; title: string; content: string | null; version: number };

export const completeExcerpts = ({ db }: BaseCtx): Promise<void> =>
  runSteps(async () => {
    const [account] = await db.all<{ owner: number; after: string }>(
      sql`SELECT number AS owner, excerpts_after AS after FROM users WHERE ${LACKS_EXCERPTS} LIMIT 1`,
    );
    if (!account) return false;
    const { owner, after } = account;
    const some = sql`SELECT id, coalesce(octet_length(content), 0) AS bytes FROM documents
        WHERE owner = ${owner} AND id > ${after} ORDER BY id LIMIT ${EXCERPTS_PER_STEP}`;
    const rows = await db.all<ContentRow>(sql`SELECT id, title, content, version FROM documents
        WHERE id IN (${firstIdsWithin(some, EXCERPT_BYTES_PER_STEP)}) ORDER BY id`);
    const excerpts = rows.map(({ id, title, content, version }) => [
      id,
      version,
      documentExcerpt({ title, content: parseContent(content) }),
    ]);
    await db.batch([
      // `+` makes SQLite look up the ids instead of reading all documents of the account.
      db.run(sql`UPDATE documents SET excerpt = w.value ->> 2 FROM json_each(${JSON.stringify(excerpts)}) AS w
        WHERE documents.id = w.value ->> 0 AND documents.version = w.value ->> 1 AND +documents.owner = ${owner}
          AND excerpt IS NULL AND ${notFenced("documents.owner")}`),
      db.run(sql`UPDATE users SET excerpts_after = ${rows.at(-1)?.id ?? null}
        WHERE number = ${owner} AND ${notFenced("users.number")}`),
    ]);
    return true;
  }, EXCERPT_STEPS);

/** Once more from the first id, when no Worker of the release before can change texts any more. Also before the id then. */
const ONCE_MORE = "~";
const RELEASE_MS = 3_600_000;

/** True in SQL if links have been kept for long enough. */
const isReleased = ({
  now,
}: Pick<BaseCtx, "now">) => sql`(SELECT applied_at FROM d1_migrations WHERE name = '0082_property_links.sql')
  < ${new Date(now.getTime() - RELEASE_MS).toISOString().replace("T", " ").slice(0, 19)}`;

/** True in SQL if links in properties are to be read now. A Worker of the release before reads neither those nor this mark. */
const hasUnreadProperties = (base: Pick<BaseCtx, "now">) =>
  sql`(has_unread_properties IS NOT NULL AND ${isReleased(base)})`;

/** The accounts whose links are to be written, in SQL: of each kind by its own index. */
const lackingLinks = (base: Pick<BaseCtx, "now">, columns: SQL) => {
  const isThere = sql`deleted_at IS NULL AND ${notFenced("users.number")}`;
  return sql`SELECT ${columns} FROM users WHERE links_after IS NOT NULL
      AND (links_after <> ${ONCE_MORE} OR ${isReleased(base)}) AND ${isThere}
    UNION ALL SELECT ${columns} FROM users WHERE ${hasUnreadProperties(base)} AND ${isThere}`;
};

export const hasMissingLinks = (base: BaseCtx): SQL => sql`EXISTS (${lackingLinks(base, sql`1`)})`;

/** True in SQL for contents (JSON) that may have links or aliases. Others are not loaded. */
const MAY_HAVE_LINKS = sql.raw(
  ["[[", ".md", ".markdown", "doc:", "alias", '"imported"']
    .map((sign) => `instr(lower(content), '${sign}') > 0`)
    .join(" OR "),
);

/** Documents of a step; each takes up to ten statements. */
const LINKED_PER_STEP = 50;
/** Their links. Those of a single document may be looked up in some hundreds of rows each. */
const LINKS_PER_STEP = 2000;
const LINK_STEPS = 100;

/** Deletes the rows of documents that have no links, while they have these versions. */
function withoutLinks(ctx: OwnerCtx, rows: readonly ContentRow[]): BatchItem[] {
  if (rows.length === 0) return [];
  const versions = JSON.stringify(rows.map(({ id, version }) => [id, version]));
  const ids = sql`SELECT d.id FROM json_each(${versions}) AS w CROSS JOIN documents AS d
    ON d.id = w.value ->> 0 AND d.owner = ${ctx.owner} AND d.version = w.value ->> 1`;
  return [
    ctx.db.run(sql`DELETE FROM document_links WHERE owner = ${ctx.owner} AND from_id IN (${ids})`),
    ctx.db.run(sql`DELETE FROM document_aliases WHERE owner = ${ctx.owner} AND document_id IN (${ids})`),
  ];
}

/** The statements for the first documents, at least one, and the id of the last one. */
function earlierLinks(ctx: OwnerCtx, rows: readonly ContentRow[]) {
  const statements: BatchItem[] = [];
  const unlinked: ContentRow[] = [];
  let [room, last] = [LINKS_PER_STEP, undefined as string | undefined];
  for (const { content, ...row } of rows) {
    if (content === null) unlinked.push({ ...row, content });
    else {
      const document = { ...row, content: parseContent(content) };
      room -= targetsOf(document.content).length;
      if (room < 0 && last !== undefined) break;
      statements.push(...earlierLinkStatements(ctx, document));
    }
    last = row.id;
  }
  return { statements: [...withoutLinks(ctx, unlinked), ...statements], last };
}

/** Writes the links of an account's documents, in order of id, and looks up again those that lead nowhere. */
export const completeLinks = (base: BaseCtx): Promise<void> =>
  runSteps(async () => {
    const { db } = base;
    const [account] = await db.all<{ owner: number; after: string; is_released: number | null }>(
      sql`${lackingLinks(
        base,
        sql`number AS owner, iif(${hasUnreadProperties(base)}, '', links_after) AS after, ${isReleased(base)} AS is_released`,
      )} LIMIT 1`,
    );
    if (!account) return false;
    const { owner, after, is_released } = account;
    const isLastPass = after === "" ? is_released === 1 : after.startsWith(ONCE_MORE);
    const some = sql`SELECT id, coalesce(octet_length(content), 0) AS bytes FROM documents
        WHERE owner = ${owner} AND id > ${after.replace(ONCE_MORE, "")} ORDER BY id LIMIT ${LINKED_PER_STEP}`;
    const rows =
      await db.all<ContentRow>(sql`SELECT id, title, iif(${MAY_HAVE_LINKS}, content, NULL) AS content, version
        FROM documents WHERE id IN (${firstIdsWithin(some, EXCERPT_BYTES_PER_STEP)}) ORDER BY id`);
    const ctx = { ...base, owner };
    const { statements, last } = earlierLinks(ctx, rows);
    const done = isLastPass ? null : ONCE_MORE;
    const reached = last === undefined ? done : `${isLastPass ? ONCE_MORE : ""}${last}`;
    await catchRefusal(
      sendBatch(ctx, [
        ...statements,
        db.run(
          sql`UPDATE users SET links_after = ${reached}, has_unread_properties = iif(${isReleased(base)}, NULL, has_unread_properties)
            WHERE number = ${owner} AND (links_after = ${after} OR ${hasUnreadProperties(base)})`,
        ),
      ]),
      "moving",
    );
    return true;
  }, LINK_STEPS);
