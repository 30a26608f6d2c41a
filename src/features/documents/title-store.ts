import { sql } from "drizzle-orm";
import type { Access } from "../../contract/access.ts";
import { localMinute } from "../../contract/days.ts";
import { isTitle } from "../../contract/ids.ts";
import { nameKey, normalizeName } from "../../contract/name-key.ts";
import { isStorable } from "../../contract/storable.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { isLikelyTypo } from "../../shared/text/likeness.ts";
import { folderPathSql } from "./folder-path.ts";
import { documentReference } from "./tool-document.ts";

// Tools accept the title of a document instead of its id if only one document has it.

const MAX_TITLE = 500;
const MAX_LISTED = 5;
const MAX_TITLE_SHOWN = 80;

/** Looking up a title compares all titles, so the caller must be allowed to read; looking up an id does not. */
export const accessToTitle = (sent: readonly string[] = []): Access[] =>
  sent.some(isTitle) ? ["docs:read"] : [];

/** A document with one of several titles; `place`: index of that title. */
type TitledDocument = {
  place: number;
  id: string;
  title: string;
  updated_at: string;
  folder_path: string | null;
};

/** The forms of a title in the indexes: its key or, for documents of an earlier release, as it was sent. */
function titleSpellings(title: string): string[] {
  const name = normalizeName(title);
  if (name === "" || name.length > MAX_TITLE || !isStorable(name)) return [];
  return [...new Set([nameKey(name), name, name.normalize("NFD")])];
}

/** The documents outside the trash with each of these titles, last changed first; about one more than are listed. */
async function findDocumentsByTitle(ctx: Ctx, titles: readonly string[]): Promise<TitledDocument[][]> {
  const spelled = titles.flatMap((title, place) => titleSpellings(title).map((name) => [place, name]));
  if (spelled.length === 0) return titles.map(() => []);
  const owned = sql`owner = ${ctx.owner} AND trashed_at IS NULL`;
  const some = sql`LIMIT ${MAX_LISTED + 1}`;
  const rows = await ctx.db.all<TitledDocument>(sql`
    SELECT w.value ->> 0 AS place, d.id, d.title, d.updated_at, ${sql.raw(folderPathSql("d"))} AS folder_path
    FROM json_each(${JSON.stringify(spelled)}) AS w CROSS JOIN documents AS d
    WHERE d.owner = ${ctx.owner} AND d.trashed_at IS NULL AND d.id IN (
      SELECT id FROM (SELECT id FROM documents INDEXED BY documents_owner_title_idx
        WHERE ${owned} AND title = w.value ->> 1 COLLATE NOCASE ${some})
      UNION ALL SELECT id FROM (SELECT id FROM documents INDEXED BY documents_title_key_idx
        WHERE ${owned} AND title_key = w.value ->> 1 ${some}))`);
  const keys = titles.map((title) => nameKey(normalizeName(title)));
  const latest = rows
    // A Worker of an earlier release renames a document without updating its key.
    .filter(({ place, title }) => nameKey(normalizeName(title)) === keys[place])
    .toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  return titles.map((_, place) => {
    const found = latest.filter((row) => row.place === place);
    return [...new Map(found.map((row) => [row.id, row])).values()];
  });
}

/** For each title, the alphabetical neighbour that begins with it or that it may be a typo of. */
async function nearestTitles(ctx: Ctx, titles: readonly string[]): Promise<(string | undefined)[]> {
  const names = titles.map((title) =>
    normalizeName(title.slice(0, MAX_TITLE).toWellFormed().replaceAll("\0", "")),
  );
  const beside = (isBeside: string) => sql`(SELECT title FROM documents INDEXED BY documents_owner_title_idx
    WHERE owner = ${ctx.owner} AND trashed_at IS NULL AND title ${sql.raw(isBeside)} LIMIT 1)`;
  const rows = await ctx.db.all<{ after: string | null; before: string | null }>(sql`
    SELECT ${beside("> w.value COLLATE NOCASE ORDER BY title COLLATE NOCASE")} AS after,
      ${beside("< w.value COLLATE NOCASE ORDER BY title COLLATE NOCASE DESC")} AS before
    FROM json_each(${JSON.stringify(names)}) AS w ORDER BY w.key`);
  return names.map((name, place) => {
    const { after = null, before = null } = rows[place] ?? {};
    const beginsSo = (title: string) => name !== "" && nameKey(title).startsWith(nameKey(name));
    return [after, before]
      .filter((title) => title !== null)
      .find((title) => beginsSo(title) || isLikelyTypo(name, title));
  });
}

const quoteTitle = (title: string) =>
  `"${title.length > MAX_TITLE_SHOWN ? `${title.slice(0, MAX_TITLE_SHOWN).toWellFormed()}…` : title.toWellFormed()}"`;

const unknownTitleError = (field: string, title: string, near: string | undefined) =>
  new AppError(
    404,
    `${field}: no document has the title ${quoteTitle(title)}${near === undefined ? "." : `; did you mean ${quoteTitle(near)}?`} ` +
      "Give its title or its id (doc:<uuid>), as shown by search and list_documents; list_trash has deleted ones",
  );

function ambiguousTitleError(
  field: string,
  title: string,
  found: readonly TitledDocument[],
  timezone: string,
): AppError {
  const count = found.length > MAX_LISTED ? `more than ${MAX_LISTED}` : String(found.length);
  const named = found.slice(0, MAX_LISTED).map(({ id, folder_path, updated_at }) => {
    const place = folder_path === null ? "at the top level" : `in ${quoteTitle(folder_path)}`;
    return `${documentReference(id)} (${place}, changed ${localMinute(updated_at, timezone)})`;
  });
  return badRequest(
    `${field}: ${count} documents have the title ${quoteTitle(title)}; nothing was changed. Give the id of the right ` +
      `one: ${named.join(", ")}`,
  );
}

/** The id or title that was sent for a document, with its UUID, or the problem if it cannot be resolved. */
export type ResolvedDocument = { sent: string } & (
  | { id: string; problem?: undefined }
  | { id?: undefined; problem: AppError }
);

/** Resolves distinct titles. */
async function resolveTitles(ctx: Ctx, titles: readonly string[], field: string) {
  const found = await findDocumentsByTitle(ctx, titles);
  const missing = titles.filter((_, place) => found[place]?.length === 0);
  const near = missing.length > 0 ? await nearestTitles(ctx, missing) : [];
  const { timezone } = found.some(({ length }) => length > 1) ? await ctx.user() : { timezone: "UTC" };
  return titles.map((sent, place): ResolvedDocument => {
    const [first, ...others] = found[place] ?? [];
    if (!first) return { sent, problem: unknownTitleError(field, sent, near[missing.indexOf(sent)]) };
    return others.length === 0
      ? { sent, id: first.id }
      : { sent, problem: ambiguousTitleError(field, sent, [first, ...others], timezone) };
  });
}

/** Resolves ids and titles to documents, in order. All titles are looked up in one statement. */
export async function resolveDocuments(
  ctx: Ctx,
  sent: readonly string[],
  field: string,
): Promise<ResolvedDocument[]> {
  const titles = [...new Set(sent.filter(isTitle))];
  const known = new Map(
    titles.length === 0 ? [] : (await resolveTitles(ctx, titles, field)).map((one) => [one.sent, one]),
  );
  return sent.map((one) => known.get(one) ?? { sent: one, id: one });
}

/** The UUID of a resolved document. Throws its problem. */
export function resolvedId(named: ResolvedDocument | undefined): string {
  if (named?.id !== undefined) return named.id;
  throw named?.problem ?? badRequest("id: is required");
}

/** The UUID of the only document with a title. Throws 400 for the id of something else or several documents, 404 for none. */
export async function resolveTitleToId(ctx: Ctx, title: string, field = "id"): Promise<string> {
  if (isTitle(title)) return resolvedId((await resolveDocuments(ctx, [title], field))[0]);
  throw badRequest(
    `${field}: must be doc:<uuid> or mem:<number>, as search returns it, or the title of a document; list_documents shows ` +
      "what is in a folder",
  );
}

/** Drops repeated documents. */
export const withoutDuplicates = (named: readonly ResolvedDocument[]): ResolvedDocument[] => [
  ...new Map(named.map((one) => [one.id ?? one.sent, one])).values(),
];
