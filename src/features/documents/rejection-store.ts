import { sql } from "drizzle-orm";
import { addDays, dayWithWeekday, localMinute } from "../../contract/days.ts";
import { TRASH_DAYS } from "../../contract/life-cycle.ts";
import { prefixedId } from "../../contract/links.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, hasCode } from "../../platform/core/errors.ts";
import { contentBody } from "../../shared/markdown/content-text.ts";
import { changedLines } from "./changed-lines.ts";

const MAX_COMPARED = 256 * 1024;

type State = { title: string; tags: string; folder_id: string | null; content: string | null };

type CurrentState = State & {
  version: number;
  updated_at: string;
  trashed_at: string | null;
  writer: string | null;
  is_long: number;
  was: string | null;
};

async function readStates(ctx: Ctx, id: string, version: number) {
  const size = sql`coalesce(octet_length(d.content), 0) + coalesce(octet_length(v.content), 0)`;
  const was = sql`json_object('title', v.title, 'tags', v.tags, 'folder_id', v.folder_id,
    'content', iif(${size} > ${MAX_COMPARED}, NULL, v.content))`;
  const [[document], [folder]] = await ctx.db.batch([
    ctx.db.all<CurrentState>(sql`SELECT d.title, d.tags, d.folder_id, d.version, d.updated_at, d.trashed_at,
        iif(${size} > ${MAX_COMPARED}, NULL, d.content) AS content, ${size} > ${MAX_COMPARED} AS is_long,
        coalesce(d.writer_client_name, d.writer_source_type) AS writer, iif(v.version IS NULL, NULL, ${was}) AS was
      FROM documents AS d LEFT JOIN document_versions AS v
        ON v.document_id = d.id AND v.owner = d.owner AND v.version = ${version}
      WHERE d.id = ${id} AND d.owner = ${ctx.owner}`),
    ctx.db.all<{ id: string }>(sql`SELECT id FROM folders WHERE id = ${id} AND owner = ${ctx.owner}`),
  ]);
  return { document, folder };
}

const textOfState = ({ content }: Pick<State, "content">) =>
  contentBody(content === null ? null : (JSON.parse(content) as Record<string, unknown>));

function changesSince(document: CurrentState): string[] {
  if (document.was === null) return [];
  const was = JSON.parse(document.was) as State;
  const lines = changedLines(textOfState(was), textOfState(document));
  return [
    ...(document.title === was.title ? [] : [`its title is "${document.title}" now`]),
    ...(document.tags === was.tags ? [] : [`its tags are ${document.tags} now`]),
    ...(document.folder_id === was.folder_id ? [] : ["it is in another folder"]),
    ...(document.is_long ? ["its text may be different"] : []),
    ...(lines.length > 0 ? [`its changed lines are ${lines.join(" | ")}`] : []),
  ];
}

const mayRead = ({ scopes }: Ctx) => !scopes || scopes.includes("docs:read");

async function whyStale(ctx: Ctx, id: string, expected: number): Promise<string> {
  const { document } = await readStates(ctx, id, expected);
  const name = prefixedId({ kind: "document", id });
  if (!document) return `${name} was not found`;
  const { timezone } = await ctx.user();
  const { version, writer } = document;
  const by = writer === null ? "" : ` by ${writer}`;
  const news = mayRead(ctx) ? changesSince(document).map((one) => `; ${one}`) : [];
  const state = `has version ${version}, not ${expected}; it was written${by} at ${localMinute(document.updated_at, timezone)}`;
  return (
    `expected_version: ${name} ${state}${news.join("")}. Nothing was changed: if your ` +
    `change still makes sense, repeat it with expected_version ${version}`
  );
}

export async function whyMissingDocument(ctx: Ctx, id: string, version = 0): Promise<string> {
  const { document, folder } = await readStates(ctx, id, version);
  const name = prefixedId({ kind: "document", id });
  if (folder) {
    return (
      `${prefixedId({ kind: "folder", id })} is a folder, not a document: list_documents shows what is in it, edit_document with set_fields and ` +
      "this id renames or moves it; only the app deletes folders"
    );
  }
  if (!document) {
    return `${name} was not found: search and list_documents show the ids, list_trash shows those deleted in the last ${TRASH_DAYS} days`;
  }
  if (document.trashed_at !== null) {
    const last = dayWithWeekday(addDays(document.trashed_at.slice(0, 10), TRASH_DAYS));
    return `${name} is in the trash until ${last}: restore brings it back`;
  }
  return version > 0
    ? `${name} has no version ${version}: list_versions shows those that are kept`
    : `${name} was not found: try again`;
}

/** Rethrows a 404 or a version conflict with an explanation and what to do. `expected`: the version in the request. */
export const explainDocumentRejection =
  (ctx: Ctx, id: string, expected = 0) =>
  async (problem: unknown): Promise<never> => {
    if (hasCode(problem, "not_found")) throw new AppError(404, await whyMissingDocument(ctx, id));
    if (hasCode(problem, "stale")) throw new AppError(412, await whyStale(ctx, id, expected));
    throw problem;
  };
