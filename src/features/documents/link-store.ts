import { type SQL, sql } from "drizzle-orm";
import type { DocumentRow } from "../../contract/document.ts";
import { nameKey, normalizeName } from "../../contract/name-key.ts";
import type { OwnerCtx } from "../../platform/core/ctx.ts";
import { groupBySize } from "../../platform/core/group-by-size.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { type LinkTarget, linkedId, linkKey, linkNameKey } from "../../shared/markdown/note-links.ts";
import { aliasKeys, aliasRows, fileKey, ownFileKey } from "./aliases.ts";
import { targetsOf } from "./link-bytes.ts";

// The links of a document are rows, written in the transaction that writes its text. A target is looked up among the titles
// and aliases of the account when its row is written; what does not exist yet is found when a document gets that name. A row
// keeps its document as long as the target is in the text, so renaming and moving documents breaks no link.

type LinkedDocument = Pick<DocumentRow, "id" | "title" | "content">;

/** Candidates that are compared for one target, for each way to find them. */
const MAX_CANDIDATES = 50;

/** Links that one new name gets in its transaction; the cron handler does the rest. */
const MAX_NAMED = 1000;
const MAX_NAMED_READ = 2000;

/** Characters of JSON in one parameter. */
const ROWS_LENGTH = 400_000;

const PRINTABLE_ASCII = /^[ -~]*$/;

/** The spellings of a name in the indexes of titles and aliases. */
const spellings = (name: string): string[] => {
  const normal = normalizeName(name);
  const key = nameKey(normal);
  return PRINTABLE_ASCII.test(normal) ? [key] : [key, normal, normal.normalize("NFD")];
};

/** Where the folders in a key end, and the name begins. */
const folderKey = ({ target_key, name_key }: Pick<LinkTarget, "target_key" | "name_key">) =>
  target_key.slice(0, Math.max(0, target_key.length - name_key.length - 1));

/** A target as the statements read it. */
function toRow(link: LinkTarget) {
  const { target, target_key, name_key, context } = link;
  const name = target.slice(target.lastIndexOf("/") + 1);
  const file = fileKey(name);
  const names = new Set([...spellings(target), ...spellings(name), `file:${file}`]);
  return [target_key, name_key, target, context, linkedId(target) ?? null, folderKey(link), [...names], file];
}

/** Folders of a link that are compared, from the document up: whoever nests folders deep must not make each link expensive. */
const MAX_FOLDERS = 10;

/** SQL: folder `f` with the next one up, and what precedes its name in `rest`, a path with `/` before each name. */
const upFrom = (rest: string, where: string) => `
  SELECT f.parent_id, substr(${rest}, 1, length(${rest}) - length('/' || coalesce(f.key, f.name))), ${where}
    AND substr(${rest}, -length('/' || coalesce(f.key, f.name))) = '/' || coalesce(f.key, f.name)`;

/** True in SQL if the folders of a document end with `folder`. */
const isInFolders = (to: string, folder: string) => `EXISTS (
  WITH RECURSIVE up(parent_id, rest, count) AS (
    ${upFrom(`('/' || ${folder})`, `1 FROM folders AS f WHERE f.id = ${to}.folder_id AND f.owner = ${to}.owner`)}
    UNION ALL ${upFrom("up.rest", `count + 1 FROM up CROSS JOIN folders AS f ON f.id = up.parent_id WHERE up.rest <> '' AND count < ${MAX_FOLDERS}`)})
  SELECT 1 FROM up WHERE rest = '' OR count = ${MAX_FOLDERS})`;

/**
 * True in SQL if a document is where a link says: in the folders that are written, or else beside the document with the
 * link. `to`, `from`: aliases of both documents. `key`, `folder`: the key of the target, and of the folders in it.
 */
const isInPlace = (to: string, { from, key, folder }: { from: string; key: string; folder: string }) =>
  sql.raw(`(CASE WHEN ${folder} = '' THEN ${to}.folder_id IS ${from}.folder_id
    ELSE ${to}.title = ${key} COLLATE NOCASE OR ${to}.title_key IS ${key} OR ${isInFolders(to, folder)} END IS TRUE)`);

/** SQL: the id of the document that a target (`w`, of a document `source`) names, or null. */
function namedDocument(): SQL {
  const titled = (index: string, condition: string) =>
    `SELECT id, 0 AS is_alias FROM (SELECT d.id FROM json_each(w.value ->> 6) AS n CROSS JOIN documents AS d INDEXED BY ${index}
      WHERE d.owner = source.owner AND d.trashed_at IS NULL AND ${condition} LIMIT ${MAX_CANDIDATES})`;
  return sql`(SELECT d.id FROM (
      ${sql.raw(titled("documents_owner_title_idx", "d.title = n.value COLLATE NOCASE"))}
      UNION ALL ${sql.raw(titled("documents_title_key_idx", "d.title_key = n.value"))}
      UNION ALL SELECT document_id, 1 FROM (
        SELECT a.document_id FROM json_each(w.value ->> 6) AS n CROSS JOIN document_aliases AS a
        WHERE a.owner = source.owner AND a.key = n.value LIMIT ${sql.raw(String(MAX_CANDIDATES))})
    ) AS c CROSS JOIN documents AS d ON d.id = c.id AND d.owner = source.owner AND d.trashed_at IS NULL
    ORDER BY c.is_alias, ${isInPlace("d", { from: "source", key: "(w.value ->> 0)", folder: "(w.value ->> 5)" })} DESC, d.id
    LIMIT 1)`;
}

/** Writes the rows that are new or say something else. With `version`, only while the document has it. */
function writeRows(
  ctx: OwnerCtx,
  id: string,
  rows: unknown[],
  { first, version }: { first: number; version?: number | undefined },
) {
  const isCurrent = version === undefined ? sql`TRUE` : sql`source.version = ${version}`;
  return ctx.db.run(sql`
    INSERT INTO document_links (owner, from_id, target_key, name_key, target, to_id, place, context, file_key)
    SELECT source.owner, source.id, w.value ->> 0, w.value ->> 1, w.value ->> 2,
      CASE WHEN EXISTS (SELECT 1 FROM document_links AS k CROSS JOIN documents AS t ON t.id = k.to_id AND t.owner = k.owner
          WHERE k.owner = source.owner AND k.from_id = source.id AND k.target_key = w.value ->> 0) THEN NULL
        WHEN w.value ->> 4 IS NOT NULL THEN (SELECT t.id FROM documents AS t WHERE t.id = w.value ->> 4 AND t.owner = source.owner)
        ELSE ${namedDocument()} END,
      ${first} + w.key, w.value ->> 3, w.value ->> 7
    FROM documents AS source CROSS JOIN json_each(${JSON.stringify(rows)}) AS w
    WHERE source.id = ${id} AND source.owner = ${ctx.owner} AND ${isCurrent}
    ON CONFLICT (owner, from_id, target_key) DO UPDATE SET target = excluded.target, place = excluded.place,
      context = excluded.context, to_id = coalesce(excluded.to_id, document_links.to_id)
    WHERE document_links.target <> excluded.target OR document_links.place <> excluded.place
      OR document_links.context <> excluded.context OR excluded.to_id IS NOT NULL`);
}

/** True in SQL while the document has a version, if one is given. */
const hasVersion = (ctx: OwnerCtx, id: string, version: number | undefined): SQL =>
  version === undefined
    ? sql`TRUE`
    : sql`EXISTS (SELECT 1 FROM documents WHERE id = ${id} AND owner = ${ctx.owner} AND version = ${version})`;

/** Deletes the rows of targets that a content no longer has. */
export function removeLinksStatement(
  ctx: OwnerCtx,
  id: string,
  content: DocumentRow["content"],
  version?: number,
) {
  const isCurrent = hasVersion(ctx, id, version);
  return ctx.db.run(sql`DELETE FROM document_links WHERE owner = ${ctx.owner} AND from_id = ${id}
    AND target_key NOT IN ${sqlList(targetsOf(content).map(({ target_key }) => target_key))} AND ${isCurrent}`);
}

/** Writes the links of a text. */
export function linkRowStatements(
  ctx: OwnerCtx,
  { id, content }: LinkedDocument,
  version?: number,
): BatchItem[] {
  const rows = targetsOf(content).map(toRow);
  let first = 0;
  return [...groupBySize(rows, (row) => JSON.stringify(row).length, ROWS_LENGTH)].map((some) => {
    const statement = writeRows(ctx, id, some, { first, version });
    first += some.length;
    return statement;
  });
}

/** Writes the aliases of a document. With `version`, only while the document has it. */
export function aliasStatements(
  ctx: OwnerCtx,
  id: string,
  keys: readonly string[],
  version?: number,
): BatchItem[] {
  const list = sqlList(keys);
  const isCurrent = hasVersion(ctx, id, version);
  return [
    ctx.db.run(
      sql`DELETE FROM document_aliases WHERE owner = ${ctx.owner} AND document_id = ${id} AND key NOT IN ${list} AND ${isCurrent}`,
    ),
    ctx.db.run(sql`INSERT INTO document_aliases (owner, key, document_id)
      SELECT owner, w.value, id FROM documents CROSS JOIN ${list} AS w WHERE id = ${id} AND owner = ${ctx.owner} AND ${isCurrent}
      ON CONFLICT DO NOTHING`),
  ];
}

/** A name that links may have: the key of its end, the whole key if that has slashes, and the key of a title. */
type LinkName = [name_key: string, target_key: string | null, title_key: string | null];

function linkName(name: string, isTitle: boolean): LinkName {
  const [whole, last] = [linkKey(name), linkNameKey(name)];
  return [last, whole === last ? null : whole, isTitle ? nameKey(normalizeName(name)) : null];
}

const IN_PLACE = { from: "source", key: "l.target_key", folder: "l.folder_key" };

/** Leads links to a document. `links`: those of its names, in SQL; `isOther`: whether `t` still has the name of the link `l`. */
const leadStatement = (ctx: OwnerCtx, id: string, { links, isOther }: { links: SQL; isOther: SQL }) =>
  ctx.db.run(sql`UPDATE document_links SET to_id = ${id} WHERE (owner, from_id, target_key) IN (
    SELECT l.owner, l.from_id, l.target_key FROM (
      SELECT l.*, n.value ->> 2 AS title_key,
        substr(l.target_key, 1, max(0, length(l.target_key) - length(l.name_key) - 1)) AS folder_key
      FROM ${links} WHERE l.to_id IS NOT ${id} LIMIT ${MAX_NAMED_READ}) AS l
    CROSS JOIN documents AS d ON d.id = ${id} AND d.owner = l.owner
    CROSS JOIN documents AS source ON source.id = l.from_id AND source.owner = l.owner
    LEFT JOIN documents AS t ON t.id = l.to_id AND t.owner = l.owner
    WHERE t.id IS NULL OR t.trashed_at IS NOT NULL
      OR (${isOther} AND ${isInPlace("d", IN_PLACE)} AND NOT ${isInPlace("t", IN_PLACE)})
    LIMIT ${MAX_NAMED})`);

/** Links that have the file name of an imported document. */
function fileLinkStatements(ctx: OwnerCtx, row: LinkedDocument): BatchItem[] {
  const file = ownFileKey(row);
  if (file === undefined) return [];
  const links = sql`json_each(${JSON.stringify([file])}) AS n CROSS JOIN document_links AS l INDEXED BY document_links_file_idx
    ON l.owner = ${ctx.owner} AND l.file_key = n.value`;
  const isOther = sql`EXISTS (SELECT 1 FROM document_aliases AS a
    WHERE a.owner = l.owner AND a.key = 'file:' || l.file_key AND a.document_id = t.id)`;
  return [leadStatement(ctx, row.id, { links, isOther })];
}

/**
 * Leads links to a document that has a new name: those that lead nowhere, to the trash, or to another one of that name that
 * is not where they say.
 */
export function nameStatements(ctx: OwnerCtx, row: LinkedDocument): BatchItem[] {
  const { id, title, content } = row;
  const names = [linkName(title, true), ...aliasKeys(content).map((key) => linkName(key, false))];
  const kept = names.filter(([key]) => key !== "" && !key.startsWith("doc:"));
  const json = JSON.stringify([...kept, [`doc:${id}`, null, null]]);
  const links = sql`json_each(${json}) AS n CROSS JOIN document_links AS l INDEXED BY document_links_name_idx
    ON l.owner = ${ctx.owner} AND l.name_key = n.value ->> 0 AND (n.value ->> 1 IS NULL OR l.target_key = n.value ->> 1)`;
  const isOther = sql`(t.title = l.title_key COLLATE NOCASE OR t.title_key = l.title_key)`;
  return [
    leadStatement(ctx, id, { links, isOther }),
    ...fileLinkStatements(ctx, row),
    ctx.db.run(sql`UPDATE users SET links_after = '' WHERE number = ${ctx.owner} AND links_after IS NULL
      AND EXISTS (SELECT 1 FROM ${links} WHERE l.to_id IS NULL)`),
  ];
}

const isSameList = (one: readonly string[], other: readonly string[]) => one.join("\n") === other.join("\n");

/** The statements for a document's links, aliases and name. `before`: the previous state. None if nothing of it changes. */
export function linkStatements(ctx: OwnerCtx, row: LinkedDocument, before?: LinkedDocument): BatchItem[] {
  const isSameContent = before !== undefined && before.content === row.content;
  if (isSameContent && before.title === row.title) return [];
  const aliases = aliasRows(row);
  const earlier = before ? aliasRows(before) : [];
  const isSameNames = before !== undefined && before.title === row.title && isSameList(aliases, earlier);
  return [
    ...(isSameList(aliases, earlier) ? [] : aliasStatements(ctx, row.id, aliases)),
    ...(before && !isSameContent && targetsOf(before.content).length > 0
      ? [removeLinksStatement(ctx, row.id, row.content)]
      : []),
    ...(isSameContent ? [] : linkRowStatements(ctx, row)),
    ...(isSameNames ? [] : nameStatements(ctx, row)),
  ];
}

/** The same for a document that replaces another one or comes from the trash, whose rows may be of another text. */
export const allLinkStatements = (ctx: OwnerCtx, row: LinkedDocument): BatchItem[] => [
  removeLinksStatement(ctx, row.id, row.content),
  ...aliasStatements(ctx, row.id, aliasRows(row)),
  ...linkRowStatements(ctx, row),
  ...nameStatements(ctx, row),
];

/** The same for a document of an earlier release, while it has this version. */
export function earlierLinkStatements(ctx: OwnerCtx, row: LinkedDocument & { version: number }): BatchItem[] {
  const aliases = aliasRows(row);
  return [
    removeLinksStatement(ctx, row.id, row.content, row.version),
    ...linkRowStatements(ctx, row, row.version),
    ...aliasStatements(ctx, row.id, aliases, row.version),
    ...(aliases.length > 0 ? nameStatements(ctx, row) : []),
  ];
}
