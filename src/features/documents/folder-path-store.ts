import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { v7 as uuid } from "uuid";
import { mustHaveRoom } from "../billing/quota-store.ts";
import { folderBytes } from "../billing/sizes.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { nameOf } from "../../contract/links.ts";
import { untilWritten } from "../../platform/core/retry.ts";
import { isStorable } from "../../contract/storable.ts";
import { must, unless } from "../../platform/db/call.ts";
import { folders } from "../../db/tables.ts";
import { lastNumber, recorded } from "../../platform/ledger/store.ts";
import {
  type FolderPath,
  type FolderTree,
  folderIdOf,
  folderPathSql,
  foldersInside,
  foldersLike,
  foldersNamed,
  isFolderId,
  MAX_NAMED,
  MAX_PATH,
  type StoredFolder,
  segmentsOf,
  slipsOf,
  treeOf,
  withPath,
} from "./folder-path.ts";
import { folderIsMine } from "../../documents/store.ts";

// Folders by name, for tools. A path's names are separated by slashes: `Work/Notes`.

const MAX_DEPTH = 32;
const MAX_NAME = 255;
/** How many folders are read to find one by its name. */
const MAX_FOLDERS = 50_000;

/** A folder with its path and the number of documents directly in it. */
export type ListedFolder = FolderPath & { documents: number };

/** The statement that lists some of the caller's folders with their paths, in the order of these, and their direct documents. */
export const pathsStatement = (ctx: Ctx, limit: number) =>
  ctx.db.all<ListedFolder>(sql`
    WITH RECURSIVE tree(id, path) AS (
      SELECT id, name FROM folders WHERE owner = ${ctx.owner} AND parent_id IS NULL
      UNION ALL
      SELECT f.id, tree.path || '/' || f.name FROM tree
        JOIN folders AS f ON f.parent_id = tree.id AND f.owner = ${ctx.owner}
      WHERE length(tree.path) < ${MAX_PATH})
    SELECT tree.id, tree.path, coalesce(t.documents, 0) AS documents
    FROM tree LEFT JOIN folder_totals AS t ON t.folder_id = tree.id
    ORDER BY tree.path COLLATE NOCASE LIMIT ${limit}`);

/** The path of a folder of the caller's, or undefined if it is none. */
export async function placeOf(ctx: Ctx, id: string): Promise<FolderPath | undefined> {
  const [found] =
    await ctx.db.all<FolderPath>(sql`SELECT d.folder_id AS id, ${sql.raw(folderPathSql("d"))} AS path
    FROM (SELECT ${id} AS folder_id, ${ctx.owner} AS owner) AS d`);
  return found?.path ? found : undefined;
}

/** The statement that counts the caller's folders. */
export const countFolders = (ctx: Ctx) =>
  ctx.db.all<{ total: number }>(sql`SELECT count(*) AS total FROM folders WHERE owner = ${ctx.owner}`);

/** The caller's folders. Throws 400 when there are too many to find one by its name. */
async function readTree(ctx: Ctx): Promise<FolderTree> {
  const rows = await ctx.db.all<StoredFolder>(sql`SELECT id, name, parent_id FROM folders
    WHERE owner = ${ctx.owner} ORDER BY name COLLATE NOCASE, id LIMIT ${MAX_FOLDERS + 1}`);
  if (rows.length <= MAX_FOLDERS) return treeOf(rows);
  throw badRequest(
    `folder: by name only up to ${MAX_FOLDERS.toLocaleString("en")} folders can be searched: delete some`,
  );
}

const quoted = (found: readonly FolderPath[]) =>
  found
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ id, path }) => `"${path}" (${nameOf({ kind: "folder", id })})`)
    .join(", ");

function unknown(tree: FolderTree, asked: string): AppError {
  const near = foldersLike(tree, asked);
  const shown = near.length > 0 ? near : tree.folders.slice(0, MAX_NAMED);
  const named = shown.map((folder) => `"${withPath(tree, folder).path}"`);
  const hint = named.length > 0 ? `did you mean ${named.join(", ")}?` : "there are no folders yet";
  return new AppError(404, `folder: there is no "${asked}"; ${hint}`);
}

/** The one folder that an id or a path means, or undefined. Throws 400 when it may be several. */
function theFolder(tree: FolderTree, asked: string): StoredFolder | undefined {
  const id = folderIdOf(asked);
  if (id !== undefined) return tree.byId.get(id);
  const [found, ...others] = foldersNamed(tree, asked);
  if (!found || others.length === 0) return found;
  const some = [found, ...others].slice(0, MAX_NAMED).map((folder) => withPath(tree, folder));
  throw badRequest(`folder: "${asked}" may be ${quoted(some)}: give the whole path, or the id`);
}

/** Throws 400 for a path that no folder may have. */
function checkPath(asked: string): void {
  const names = segmentsOf(asked);
  const fits = asked.length <= MAX_PATH && names.length <= MAX_DEPTH && isStorable(asked);
  if (fits && names.every((name) => name.length <= MAX_NAME)) return;
  throw badRequest(`folder: must be at most ${MAX_DEPTH} names of up to ${MAX_NAME} characters, joined by /`);
}

/** How many of the folders in a folder an answer names. */
const MAX_INSIDE = 100;

/** A folder that exists, and folders directly or indirectly in it, at most a hundred. */
export type FoundFolder = { folder: FolderPath; inside: FolderPath[] };

/**
 * The folder that a name, path or id means. Throws 404 with similar names for an unknown one, 400 with the candidates for
 * an ambiguous one.
 */
export async function findFolder(ctx: Ctx, asked: string): Promise<FoundFolder> {
  checkPath(asked);
  const tree = await readTree(ctx);
  const found = theFolder(tree, asked);
  if (!found) throw unknown(tree, asked);
  const inside = foldersInside(tree, found.id, MAX_INSIDE).map((folder) => withPath(tree, folder));
  return { folder: withPath(tree, found), inside: inside.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** The longest beginning of a path that exists, and the names that are missing below it. */
function splitPath(tree: FolderTree, asked: string): { parent: StoredFolder | undefined; missing: string[] } {
  const names = segmentsOf(asked);
  for (let kept = names.length; kept > 0; kept--) {
    const parent = theFolder(tree, names.slice(0, kept).join("/"));
    if (parent) return { parent, missing: names.slice(kept) };
  }
  return { parent: undefined, missing: names };
}

/** A folder to write to; if it is created for this, with those that have similar names. */
export type MadeFolder = FolderPath & { created?: true; similar?: string[] };

/** Where something is to be put, and the statements that create what is missing of the folder's path. */
export type FolderPlan = { place: MadeFolder | null; statements: BatchItem<"sqlite">[] };

/**
 * The statements that create the missing folders of a path. They refuse as `folder-changed` when somebody else has just
 * created the first of them, or deleted the one it belongs to.
 */
function creationStatements(ctx: Ctx, parent: StoredFolder | undefined, names: string[]) {
  const now = ctx.now.toISOString();
  const ids = names.map(() => uuid());
  const parents = [parent?.id ?? null, ...ids];
  const rows = names.map((name, place) => ({
    id: ids[place] as string,
    owner: ctx.owner,
    name,
    parent_id: parents[place] ?? null,
    created_at: now,
    updated_at: now,
  }));
  const isNew = sql`NOT EXISTS (SELECT 1 FROM folders
    WHERE owner = ${ctx.owner} AND parent_id IS ${parents[0]} AND name = ${names[0]})`;
  const statements = [
    must(ctx, isNew, "folder-changed"),
    ...(parent ? [must(ctx, folderIsMine(ctx, parent.id), "folder-changed")] : []),
    ...mustHaveRoom(ctx, { bytes: names.reduce((sum, each) => sum + folderBytes(each), 0) }),
    ...rows.flatMap((row) => [
      ...recorded(ctx, { verb: "created", kind: "folder", record: row.id, title: row.name }),
      ctx.db.insert(folders).values({ ...row, activity: lastNumber(ctx) }),
    ]),
  ];
  return { id: ids.at(-1) as string, statements };
}

/** Throws 400 for a new folder whose name may be a slip for that of another one: it would be a twin of it. */
function checkSlip(tree: FolderTree, parent: StoredFolder | undefined, path: string): void {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const slips = slipsOf(tree, parent, name).map((folder) => `"${withPath(tree, folder).path}"`);
  if (slips.length === 0) return;
  const others = slips.sort().join(", ");
  throw badRequest(
    `folder: there is no "${path}", but ${others}: nothing was written. Use that, or add new_folder: true to create "${path}" as well`,
  );
}

/** A folder to write to: its name, path or id, and whether it may have a name like that of another one. */
export type AskedFolder = { folder: string; isNew: boolean };

/** Throws 404 for an unknown id, 400 for an ambiguous or too long path, or a new name that may be a slip. */
async function planFolder(ctx: Ctx, { folder: asked, isNew }: AskedFolder): Promise<FolderPlan> {
  checkPath(asked);
  if (segmentsOf(asked).length === 0) return { place: null, statements: [] };
  const tree = await readTree(ctx);
  if (isFolderId(asked) && !theFolder(tree, asked)) throw unknown(tree, asked);
  const { parent, missing } = splitPath(tree, asked);
  if (parent && missing.length === 0) return { place: withPath(tree, parent), statements: [] };
  const above = parent ? [withPath(tree, parent).path] : [];
  if (!isNew) checkSlip(tree, parent, [...above, missing[0]].join("/"));
  const { id, statements } = creationStatements(ctx, parent, missing);
  const path = [...above, ...missing].join("/");
  const similar = foldersLike(tree, missing[0] ?? "")
    .filter((folder) => folder.id !== parent?.id)
    .map((folder) => withPath(tree, folder).path);
  const place = { id, path, created: true as const, ...(similar.length > 0 && { similar }) };
  return { place, statements };
}

/**
 * Writes to the folder that a name, path or id means; `/` is the top level. What is missing of a path is created in the
 * transaction of the write. Throws 404 for an unknown id, 400 for an ambiguous or too long path or a name that may be a
 * slip, and what `write` throws.
 *
 * @param write sends the plan's statements in front of its own
 */
export const inFolder = <Answer extends object>(
  ctx: Ctx,
  asked: AskedFolder,
  write: (plan: FolderPlan) => Promise<Answer>,
): Promise<Answer> =>
  untilWritten("folder", async () => {
    const plan = await planFolder(ctx, asked);
    return (await unless(write(plan), "folder-changed")).answer;
  });
