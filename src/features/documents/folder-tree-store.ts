import { type SQL, sql } from "drizzle-orm";
import { folderPathKey, pathSegments } from "../../contract/folder-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { sqlList } from "../../platform/db/sql-list.ts";
import {
  buildFolderTree,
  type FolderTree,
  findMatchingFolders,
  parseFolderId,
  type StoredFolder,
} from "./folder-path.ts";

// Reads only the folders that a name, path or id may match, with their ancestors, not all folders of an account.

const MAX_FOLDERS = 50_000;

/** Reads all folders if a condition holds. It is a row of its own so that SQLite evaluates it once, not per folder. */
const foldersStatement = (ctx: Ctx, when = sql`TRUE`) =>
  ctx.db.all<StoredFolder>(sql`SELECT id, name, parent_id FROM (SELECT 1 WHERE ${when}) CROSS JOIN folders
    WHERE owner = ${ctx.owner} ORDER BY name COLLATE NOCASE, id LIMIT ${MAX_FOLDERS + 1}`);

function checkedTree(rows: StoredFolder[]): FolderTree {
  if (rows.length <= MAX_FOLDERS) return buildFolderTree(rows);
  throw badRequest(
    `folder: names can be looked up among at most ${MAX_FOLDERS.toLocaleString("en")} folders: use the id, or delete some`,
  );
}

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

/** The tree itself, or all of the caller's folders if it lacks the requested one. Throws 400 if there are too many. */
async function allFoldersIfMissing(ctx: Ctx, requested: string, tree: FolderTree, all: StoredFolder[]) {
  const id = parseFolderId(requested);
  const isFound = id === undefined ? findMatchingFolders(tree, requested).length > 0 : tree.byId.has(id);
  if (isFound) return tree;
  return checkedTree(all.length > 0 ? all : await foldersStatement(ctx));
}

/** The folders that a name, path or id may match and their ancestors; else all. Throws 400 if there are too many. */
export async function readFolderTree(ctx: Ctx, requested: string): Promise<FolderTree> {
  const [meant, all] = await ctx.db.batch([
    matchingFoldersStatement(ctx, requested),
    foldersStatement(ctx, sql`NOT EXISTS (${matchingFolderId(ctx, requested)})`),
  ]);
  return allFoldersIfMissing(ctx, requested, buildFolderTree(meant), all);
}

const insideStatement = (ctx: Ctx, id: SQL, limit: number) =>
  ctx.db.all<StoredFolder & { depth: number }>(sql`
    WITH RECURSIVE inside(id, name, parent_id, depth) AS (
      SELECT id, name, parent_id, 0 FROM folders WHERE id = (${id}) AND owner = ${ctx.owner}
      UNION ALL
      SELECT f.id, f.name, f.parent_id, depth + 1 FROM inside CROSS JOIN folders AS f ON f.parent_id = inside.id
      WHERE f.owner = ${ctx.owner}
      ORDER BY 4, 2 COLLATE NOCASE, 1 LIMIT ${limit + 1})
    SELECT id, name, parent_id, depth FROM inside`);

/** As `readFolderTree`, plus the folders inside the matching one, nearest first, at most `limit`. */
export async function readFolderTreeWithContents(ctx: Ctx, requested: string, limit: number) {
  const [meant, all, near] = await ctx.db.batch([
    matchingFoldersStatement(ctx, requested),
    foldersStatement(ctx, sql`NOT EXISTS (${matchingFolderId(ctx, requested)})`),
    insideStatement(ctx, matchingFolderId(ctx, requested), limit),
  ]);
  const tree = await allFoldersIfMissing(ctx, requested, buildFolderTree(meant), all);
  const inside = async (id: string): Promise<StoredFolder[]> => {
    const rows = near[0]?.id === id ? near : await insideStatement(ctx, sql`${id}`, limit);
    return rows.slice(1);
  };
  return { tree, inside };
}
