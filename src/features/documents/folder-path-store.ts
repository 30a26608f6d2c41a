import { sql } from "drizzle-orm";
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
import { readFolderTree, readFolderTreeWithContents } from "./folder-tree-store.ts";
import { isOwnFolder } from "./statement-store.ts";

// Folders by name or path, for tools: `Work/Notes`.

const MAX_DEPTH = 32;
const MAX_NAME = 255;

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

const MAX_INSIDE = 100;

export type FolderWithContents = { folder: FolderPath; inside: FolderPath[] };

/** Finds a folder by name, path or id. Throws 404 with similar names, 400 with the candidates if ambiguous. */
export async function findFolder(ctx: Ctx, requested: string): Promise<FolderWithContents> {
  requireValidPath(requested);
  const { tree, inside } = await readFolderTreeWithContents(ctx, requested, MAX_INSIDE);
  const found = resolveFolder(tree, requested);
  if (!found) throw unknownFolderError(tree, requested);
  const below = await inside(found.id);
  const whole = buildFolderTree([...tree.folders, ...below]);
  const shown = below.map((folder) => folderWithPath(whole, folder));
  return {
    folder: folderWithPath(tree, found),
    inside: shown.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function splitMissing(
  tree: FolderTree,
  requested: string,
): { parent: StoredFolder | undefined; missing: string[] } {
  const names = pathSegments(requested);
  for (let kept = names.length; kept > 0; kept--) {
    const parent = resolveFolder(tree, names.slice(0, kept).join("/"));
    if (parent) return { parent, missing: names.slice(kept) };
  }
  return { parent: undefined, missing: names };
}

export type PlannedFolder = FolderPath & { created?: true; similar?: string[] };

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

export type RequestedFolder = { folder: string; isNew: boolean };

/** Throws 404 for an unknown id, 400 for an ambiguous or too long path, or a new name that may be a typo. */
async function planFolder(ctx: Ctx, { folder: requested, isNew }: RequestedFolder): Promise<FolderPlan> {
  requireValidPath(requested);
  if (pathSegments(requested).length === 0) return { place: null, statements: [] };
  const tree = await readFolderTree(ctx, requested);
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
