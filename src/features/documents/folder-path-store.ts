import { type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { folderPathKey, pathSegments } from "../../contract/folder-key.ts";
import { prefixedId } from "../../contract/links.ts";
import { isStorable } from "../../contract/storable.ts";
import { lastActivityNumber, recordActivity } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { retryUntilWritten } from "../../platform/core/retry.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { assertInBatch, catchRefusal } from "../../platform/db/call.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import { folders } from "../../platform/db/tables.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { folderBytes } from "../billing/sizes.ts";
import {
  buildFolderTree,
  type FolderPath,
  type FolderTree,
  findMatchingFolders,
  folderPathSql,
  folderWithPath,
  isFolderId,
  likelyTypos,
  MAX_FOLDERS_LISTED,
  MAX_PATH,
  parseFolderId,
  type StoredFolder,
  similarFolders,
} from "./folder-path.ts";
import { isOwnFolder } from "./statement-store.ts";

// Folders by name or path, for tools: `Work/Notes`. Reads only the folders that a name, path or id may match, with their
// ancestors, not all folders of an account.

const MAX_DEPTH = 32;
const MAX_NAME = 255;
/** Maximum number of folders of an account, and of folders inside one that are listed. */
const MAX_FOLDERS = 50_000;
const MAX_INSIDE = 100;

export type ListedFolder = FolderPath & { documents: number };

/** Folders with their paths, sorted by path. With a plain join, SQLite would scan all folders for each one. */
export const folderPathsStatement = (ctx: Ctx, limit: number) =>
  ctx.db.all<ListedFolder>(sql`
    WITH RECURSIVE tree(id, path) AS (
      SELECT id, name FROM folders WHERE owner = ${ctx.owner} AND parent_id IS NULL
      UNION ALL
      SELECT f.id, tree.path || '/' || f.name FROM tree
        CROSS JOIN folders AS f ON f.parent_id = tree.id AND f.owner = ${ctx.owner}
      WHERE length(tree.path) < ${MAX_PATH})
    SELECT tree.id, tree.path, coalesce(t.documents, 0) AS documents
    FROM tree LEFT JOIN folder_totals AS t ON t.folder_id = tree.id
    ORDER BY tree.path COLLATE NOCASE LIMIT ${limit}`);

export async function findFolderById(ctx: Ctx, id: string): Promise<FolderPath | undefined> {
  const [found] =
    await ctx.db.all<FolderPath>(sql`SELECT d.folder_id AS id, ${sql.raw(folderPathSql("d"))} AS path
    FROM (SELECT ${id} AS folder_id, ${ctx.owner} AS owner) AS d`);
  return found?.path ? found : undefined;
}

export const countFolders = (ctx: Ctx) =>
  ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total FROM folders WHERE owner = ${ctx.owner}`);

/** Reads all folders if a condition holds. It is a row of its own so that SQLite evaluates it once, not per folder. */
const foldersStatement = (ctx: Ctx, when = sql`TRUE`) =>
  ctx.db.all<StoredFolder>(sql`SELECT id, name, parent_id FROM (SELECT 1 WHERE ${when}) CROSS JOIN folders
    WHERE owner = ${ctx.owner} ORDER BY name COLLATE NOCASE, id LIMIT ${MAX_FOLDERS + 1}`);

function matchingFolders(ctx: Ctx, requested: string): SQL {
  const select = sql`SELECT id, name, parent_id FROM folders`;
  const id = parseFolderId(requested);
  if (id !== undefined) return sql`${select} WHERE id = ${id} AND owner = ${ctx.owner}`;
  const keys = sqlList(pathSegments(requested).map(folderPathKey));
  return sql`${select} INDEXED BY folders_key_idx
      WHERE owner = ${ctx.owner} AND key IN ${keys}
    UNION ${select} INDEXED BY folders_odd_idx
      WHERE owner = ${ctx.owner} AND (key IS NULL OR instr(key, '/') > 0)`;
}

const matchingFoldersStatement = (ctx: Ctx, requested: string) =>
  ctx.db.all<StoredFolder>(sql`
    WITH RECURSIVE up(id, name, parent_id) AS (
      ${matchingFolders(ctx, requested)}
      UNION SELECT f.id, f.name, f.parent_id FROM up CROSS JOIN folders AS f ON f.id = up.parent_id
      WHERE f.owner = ${ctx.owner})
    SELECT id, name, parent_id FROM up ORDER BY name COLLATE NOCASE, id`);

function matchingFolderId(ctx: Ctx, requested: string): SQL {
  const id = parseFolderId(requested);
  if (id !== undefined) return sql`SELECT id FROM folders WHERE id = ${id} AND owner = ${ctx.owner}`;
  const keys = pathSegments(requested).map(folderPathKey).reverse();
  return sql`WITH RECURSIVE walk(id, parent_id, depth) AS (
      SELECT id, parent_id, 1 FROM folders WHERE owner = ${ctx.owner} AND key = ${keys[0] ?? null}
      UNION ALL
      SELECT walk.id, f.parent_id, depth + 1 FROM walk CROSS JOIN folders AS f ON f.id = walk.parent_id
      WHERE f.owner = ${ctx.owner} AND f.key = ${JSON.stringify(keys)} ->> walk.depth)
    SELECT id FROM walk WHERE depth = ${keys.length} ORDER BY parent_id IS NOT NULL LIMIT 1`;
}

/** Statements for the folders that a name, path or id may match, with their ancestors, and for all folders if none does. */
const treeStatements = (ctx: Ctx, requested: string) =>
  [
    matchingFoldersStatement(ctx, requested),
    foldersStatement(ctx, sql`NOT EXISTS (${matchingFolderId(ctx, requested)})`),
  ] as const;

/** A tree of the matching folders or, if the requested one is not among them, of all. Throws 400 if there are too many. */
async function folderTree(ctx: Ctx, requested: string, matching: StoredFolder[], all: StoredFolder[]) {
  const tree = buildFolderTree(matching);
  const id = parseFolderId(requested);
  const isFound = id === undefined ? findMatchingFolders(tree, requested).length > 0 : tree.byId.has(id);
  if (isFound) return tree;
  const rows = all.length > 0 ? all : await foldersStatement(ctx);
  if (rows.length <= MAX_FOLDERS) return buildFolderTree(rows);
  throw badRequest(
    `folder: names can be looked up among at most ${MAX_FOLDERS.toLocaleString("en")} folders: use the id, or delete some`,
  );
}

/** A folder and those inside it, nearest first. */
const insideStatement = (ctx: Ctx, id: SQL) =>
  ctx.db.all<StoredFolder & { depth: number }>(sql`
    WITH RECURSIVE inside(id, name, parent_id, depth) AS (
      SELECT id, name, parent_id, 0 FROM folders WHERE id = (${id}) AND owner = ${ctx.owner}
      UNION ALL
      SELECT f.id, f.name, f.parent_id, depth + 1 FROM inside CROSS JOIN folders AS f ON f.parent_id = inside.id
      WHERE f.owner = ${ctx.owner}
      ORDER BY 4, 2 COLLATE NOCASE, 1 LIMIT ${MAX_INSIDE + 1})
    SELECT id, name, parent_id, depth FROM inside`);

const quoteFolders = (found: readonly FolderPath[]) =>
  found
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ id, path }) => `"${path}" (${prefixedId({ kind: "folder", id })})`)
    .join(", ");

function unknownFolderError(tree: FolderTree, requested: string): AppError {
  const near = similarFolders(tree, requested);
  const shown = near.length > 0 ? near : tree.folders.slice(0, MAX_FOLDERS_LISTED);
  const named = shown.map((folder) => `"${folderWithPath(tree, folder).path}"`);
  const hint = named.length > 0 ? `did you mean ${named.join(", ")}?` : "there are no folders yet";
  return new AppError(404, `folder: there is no "${requested}"; ${hint}`);
}

/** The folder with an id or path, or undefined. Throws 400 if several match. */
function resolveFolder(tree: FolderTree, requested: string): StoredFolder | undefined {
  const id = parseFolderId(requested);
  if (id !== undefined) return tree.byId.get(id);
  const [found, ...others] = findMatchingFolders(tree, requested);
  if (!found || others.length === 0) return found;
  const some = [found, ...others].slice(0, MAX_FOLDERS_LISTED).map((folder) => folderWithPath(tree, folder));
  throw badRequest(`folder: "${requested}" may be ${quoteFolders(some)}: give the whole path, or the id`);
}

function requireValidPath(requested: string): void {
  const names = pathSegments(requested);
  const fits = requested.length <= MAX_PATH && names.length <= MAX_DEPTH && isStorable(requested);
  if (fits && names.every((name) => name.length <= MAX_NAME)) return;
  throw badRequest(`folder: must be at most ${MAX_DEPTH} names of up to ${MAX_NAME} characters, joined by /`);
}

/** Finds a folder by name, path or id. Throws 404 with similar names, 400 with the candidates if ambiguous. */
export async function findFolder(ctx: Ctx, requested: string) {
  requireValidPath(requested);
  const [matching, all, near] = await ctx.db.batch([
    ...treeStatements(ctx, requested),
    insideStatement(ctx, matchingFolderId(ctx, requested)),
  ]);
  const tree = await folderTree(ctx, requested, matching, all);
  const found = resolveFolder(tree, requested);
  if (!found) throw unknownFolderError(tree, requested);
  const [, ...below] = near[0]?.id === found.id ? near : await insideStatement(ctx, sql`${found.id}`);
  const whole = buildFolderTree([...tree.folders, ...below]);
  const shown = below.map((folder) => folderWithPath(whole, folder));
  return {
    folder: folderWithPath(tree, found),
    inside: shown.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function splitMissing(tree: FolderTree, requested: string) {
  const names = pathSegments(requested);
  for (let kept = names.length; kept > 0; kept--) {
    const parent = resolveFolder(tree, names.slice(0, kept).join("/"));
    if (parent) return { parent, missing: names.slice(kept) };
  }
  return { parent: undefined, missing: names };
}

type PlannedFolder = FolderPath & { created?: true; similar?: string[] };

export type FolderPlan = { place: PlannedFolder | null; statements: BatchItem[] };

/** Creates the missing folders of a path. Fails as `folder-changed` if one of them was created or deleted meanwhile. */
function createFolderStatements(ctx: Ctx, parent: StoredFolder | undefined, names: string[]) {
  const now = ctx.now.toISOString();
  const ids = names.map(() => uuid());
  const parents = [parent?.id ?? null, ...ids];
  const rows = names.map((name, place) => ({
    id: ids[place] as string,
    owner: ctx.owner,
    name,
    key: folderPathKey(name),
    parent_id: parents[place] ?? null,
    created_at: now,
    updated_at: now,
  }));
  const isNew = sql`NOT EXISTS (SELECT 1 FROM folders
    WHERE owner = ${ctx.owner} AND parent_id IS ${parents[0]} AND name = ${names[0]})`;
  const statements = [
    assertInBatch(ctx, isNew, "folder-changed"),
    ...(parent ? [assertInBatch(ctx, isOwnFolder(ctx, parent.id), "folder-changed")] : []),
    ...assertQuotaLeft(ctx, { bytes: names.reduce((sum, name) => sum + folderBytes({ name }), 0) }),
    ...rows.flatMap((row) => [
      ...recordActivity(ctx, { verb: "created", kind: "folder", record: row.id, title: row.name }),
      ctx.db.insert(folders).values({ ...row, activity: lastActivityNumber(ctx) }),
    ]),
  ];
  return { id: ids.at(-1) as string, statements };
}

/** Throws 400 for a new folder whose name may be a typo of an existing one. */
function rejectSimilarName(tree: FolderTree, parent: StoredFolder | undefined, path: string): void {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const slips = likelyTypos(tree, parent, name).map((folder) => `"${folderWithPath(tree, folder).path}"`);
  if (slips.length === 0) return;
  const others = slips.sort().join(", ");
  throw badRequest(
    `folder: there is no "${path}", but ${others}: nothing was written. Use that, or add new_folder: true to create "${path}" as well`,
  );
}

type RequestedFolder = { folder: string; isNew: boolean };

/** Throws 404 for an unknown id, 400 for an ambiguous or too long path, or a new name that may be a typo. */
async function planFolder(ctx: Ctx, { folder: requested, isNew }: RequestedFolder): Promise<FolderPlan> {
  requireValidPath(requested);
  if (pathSegments(requested).length === 0) return { place: null, statements: [] };
  const [matching, all] = await ctx.db.batch(treeStatements(ctx, requested));
  const tree = await folderTree(ctx, requested, matching, all);
  if (isFolderId(requested) && !resolveFolder(tree, requested)) throw unknownFolderError(tree, requested);
  const { parent, missing } = splitMissing(tree, requested);
  if (parent && missing.length === 0) return { place: folderWithPath(tree, parent), statements: [] };
  const above = parent ? [folderWithPath(tree, parent).path] : [];
  if (!isNew) rejectSimilarName(tree, parent, [...above, missing[0]].join("/"));
  const { id, statements } = createFolderStatements(ctx, parent, missing);
  const path = [...above, ...missing].join("/");
  const similar = similarFolders(tree, missing[0] ?? "")
    .filter((folder) => folder.id !== parent?.id)
    .map((folder) => folderWithPath(tree, folder).path);
  const place = { id, path, created: true as const, ...(similar.length > 0 && { similar }) };
  return { place, statements };
}

/** Writes to a folder, creating missing ones in the same transaction. `/` is the top level. Throws 400, 404. */
export const writeToFolder = <Answer extends object>(
  ctx: Ctx,
  requested: RequestedFolder,
  write: (plan: FolderPlan) => Promise<Answer>,
): Promise<Answer> =>
  retryUntilWritten("folder", async () => {
    const plan = await planFolder(ctx, requested);
    return (await catchRefusal(write(plan), "folder-changed")).answer;
  });
