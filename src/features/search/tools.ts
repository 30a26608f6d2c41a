import { z } from "zod";
import type { Access } from "../../contract/access.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { addDays, dayOf, localMinute, namedDay } from "../../contract/days.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { AnyId } from "../../contract/ids.ts";
import { type Kind, nameOf, type Reference, readReference, urlOf } from "../../contract/links.ts";
import { defineTool, todayFor, withoutNulls } from "../../core/tool.ts";
import { documentProse } from "../../contract/markdown/content-text.ts";
import { getPlacedDocument } from "../documents/list-store.ts";
import { ShownFolder, shownFolder } from "../documents/tool-document.ts";
import { getVersion } from "../documents/versions-store.ts";
import { getMemory } from "../memories/store.ts";
import { getMemoryVersion } from "../memories/versions-store.ts";
import type { SearchQuery, SearchResult } from "../../contract/search.ts";
import { countParts, partOf } from "./split-text.ts";
import { search } from "../../search/store.ts";

/** How long the trash keeps what is in it: src/trash/ erases it. */
const TRASH_DAYS = 30;
const MAX_QUERY = 500;
const MAX_HITS = 20;
const MAX_SNIPPET = 300;

const ACCESS_OF: Record<Kind, Access> = { document: "docs:read", memory: "memory:read" };
const READ = [ACCESS_OF.document, ACCESS_OF.memory] as const;
const HINTS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

const may = (ctx: Ctx, access: Access) => !ctx.scopes || ctx.scopes.includes(access);

const linkTo = (ctx: Ctx, reference: Pick<Reference, "kind" | "id">) => ({
  id: nameOf(reference),
  url: urlOf(ctx.public_url ?? "", reference),
});

const cut = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;

/** The kinds of records that the caller's scopes allow to be found. */
function typeFor(ctx: Ctx): SearchQuery["type"] {
  if (!may(ctx, "memory:read")) return "documents";
  return may(ctx, "docs:read") ? "all" : "memories";
}

const ToolResult = z.strictObject({
  id: z.string(),
  title: z.string(),
  url: z.string(),
  snippet: z.string().optional(),
  kind: z.string(),
  project: z.string().optional(),
  due_date: z.string().optional(),
  deferred_until: z.string().optional(),
  folder: ShownFolder.optional(),
  tags: z.array(z.string()).optional(),
  updated: z.string(),
  matched_as: z.record(z.string(), z.string()).optional(),
});

/** What only a document or only a record has, as the answer shows it. */
function detailsOf(result: SearchResult) {
  if ("document" in result) {
    const { id, title, folder_id, folder_path: path, tags } = result.document;
    return {
      ...{ reference: { kind: "document", id } as const, title, kind: "document" },
      ...(folder_id && path !== undefined && { folder: shownFolder({ id: folder_id, path }) }),
      ...(tags.length > 0 && { tags }),
    };
  }
  const { id, topic, status, memory_type, project, due_date, deferred_until } = result.memory;
  const kind = status === "active" ? memory_type : `${status} ${memory_type}`;
  const reference = { kind: "memory", id: String(id) } as const;
  return { reference, title: topic, kind, project, due_date, deferred_until };
}

/** A result in the form that ChatGPT and other clients expect. */
function toolResult(ctx: Ctx, result: SearchResult, timezone: string): z.infer<typeof ToolResult> {
  const { reference, ...details } = detailsOf(result);
  const changed = "document" in result ? result.document.updated_at : result.memory.changed_at;
  const { matched_as } = result;
  const snippet = cut(result.snippet, MAX_SNIPPET) || null;
  return withoutNulls({
    ...linkTo(ctx, reference),
    snippet,
    ...details,
    updated: dayOf(changed, timezone),
    ...(matched_as && { matched_as }),
  }) as z.infer<typeof ToolResult>;
}

const PAGE = /(?:^|\s)page:([1-9]\d{0,3})(?=\s|$)/gi;

/** The page that a query asks for, and the query without it. ChatGPT sends no other parameter than the query. */
function splitPage(query: string): { q: string; page: number } {
  const page = [...query.matchAll(PAGE)].at(-1)?.[1] ?? "1";
  return { q: query.replace(PAGE, " ").trim(), page: Number(page) };
}

export const searchTool = defineTool({
  name: "search",
  title: "Search",
  description:
    "Finds documents and records, closed ones too, best first: by words, their forms and near spellings, not by " +
    'meaning, so give synonyms with OR. In the query: "a phrase", -word, pre*, a OR b, title:word, tag:x, folder:Name, ' +
    "after:2026-01-31, before:…, type:document or type:commitment …, status:active, project:Apollo, page:2. Filters " +
    "alone: last changed first.",
  access: READ,
  hints: HINTS,
  input: z.strictObject({ query: z.string() }),
  output: z.strictObject({
    results: z.array(ToolResult),
    total: z.int(),
    has_more: z.boolean(),
    today: z.string(),
    notes: z.array(z.string()).optional(),
  }),
  aliases: { q: "query", text: "query" },
  run: async (ctx, { query }) => {
    const { q: asked, page } = splitPage(query);
    const q = asked.slice(0, MAX_QUERY).replaceAll("\u0000", " ").toWellFormed();
    if (q === "") throw badRequest("query: must contain at least one word");
    const offset = (page - 1) * MAX_HITS;
    const { results, total, notes } = await search(ctx, { q, type: typeFor(ctx), limit: MAX_HITS, offset });
    const { timezone } = await ctx.user();
    return {
      results: results.map((result) => toolResult(ctx, result, timezone)),
      total,
      has_more: offset + results.length < total,
      ...(await todayFor(ctx)),
      ...(notes && { notes }),
    };
  },
});

type Fetched = { title: string; text: string; metadata: Record<string, unknown> };

/** What to know about something in the trash. */
function inTrash(trashed_at: string | null) {
  if (trashed_at === null) return {};
  const last = namedDay(addDays(trashed_at.slice(0, 10), TRASH_DAYS));
  return { trashed_at, in_trash: `Until ${last}, then it is erased: restore brings it back` };
}

async function readVersion(ctx: Ctx, id: string, version: number): Promise<Fetched> {
  const { title, tags, content, created_at, client_name, source_type } = await getVersion(ctx, id, version);
  const metadata = { version, tags, written_at: created_at, written_by: client_name ?? source_type };
  return { title, text: documentProse(content ?? null), metadata };
}

async function readDocument(ctx: Ctx, { id, version }: Reference): Promise<Fetched> {
  if (version) return readVersion(ctx, id, version);
  const { document, folder_path, trashed_at } = await getPlacedDocument(ctx, id);
  const { title, content, id: _, folder_id, ...metadata } = document;
  const folder = folder_id && folder_path !== null ? shownFolder({ id: folder_id, path: folder_path }) : null;
  return {
    title,
    text: documentProse(content ?? null),
    metadata: { ...metadata, folder, ...inTrash(trashed_at) },
  };
}

/** An id that a record refers to, as answers have it. */
const named = (kind: Kind, id: string | number | null) => (id === null ? null : nameOf({ kind, id }));

async function readRecordVersion(ctx: Ctx, id: string, version: number): Promise<Fetched> {
  const {
    topic,
    content,
    memory_id: _,
    document_id,
    created_at,
    client_name,
    source_type,
    ...metadata
  } = await getMemoryVersion(ctx, Number(id), version);
  const written = { written_at: created_at, written_by: client_name ?? source_type };
  const document = named("document", document_id);
  return { title: topic, text: content, metadata: { ...metadata, document_id: document, ...written } };
}

async function readRecord(ctx: Ctx, { id, version }: Reference): Promise<Fetched> {
  if (version) return readRecordVersion(ctx, id, version);
  const {
    topic,
    content,
    id: _,
    resolution_note,
    note,
    version: __,
    document_id,
    supersedes_id,
    superseded_by_id,
    trashed_at = null,
    ...metadata
  } = await getMemory(ctx, Number(id), true);
  const links = {
    document_id: named("document", document_id),
    replaces_id: named("memory", supersedes_id),
    replaced_by_id: named("memory", superseded_by_id),
  };
  const said = { note: resolution_note ?? note, ...links, ...inTrash(trashed_at) };
  return { title: topic, text: content, metadata: { ...metadata, ...said } };
}

/** Instants in the time zone of the user. */
const local = (metadata: Record<string, unknown>, timezone: string) =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      name.endsWith("_at") && typeof value === "string" ? localMinute(value, timezone) : value,
    ]),
  );

const READERS = { document: readDocument, memory: readRecord };

const unknown = (id: string) => (problem: unknown) => {
  if (!(problem instanceof AppError) || problem.status !== 404) throw problem;
  throw new AppError(
    404,
    `${id} was not found: use search or list_documents to find the ids, list_trash for what was deleted`,
  );
};

export const fetchTool = defineTool({
  name: "fetch",
  title: "Fetch",
  description:
    "Reads one document or record: doc:<uuid>, mem:<number>, or its URL. doc:<uuid>@3 and mem:<number>@3 are version 3; " +
    "a long text comes in parts, doc:<uuid>#2 is the second.",
  access: READ,
  needs: ({ id }) => {
    const reference = readReference(id);
    return reference ? [ACCESS_OF[reference.kind]] : [];
  },
  hints: HINTS,
  input: z.strictObject({ id: AnyId }),
  output: z.strictObject({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    metadata: z.record(z.string(), z.unknown()),
  }),
  aliases: { url: "id", uri: "id", document_id: "id", memory_id: "id" },
  run: async (ctx, { id }) => {
    const reference = readReference(id);
    if (!reference) {
      throw badRequest("id: must be doc:<uuid>, mem:<number> or a URL, as returned by search");
    }
    const { title, text, metadata } = await READERS[reference.kind](ctx, reference).catch(unknown(id));
    const { timezone } = await ctx.user();
    const [part, parts] = [reference.part, countParts(text)];
    if (part > parts) throw badRequest(`id: ${nameOf(reference)} has ${parts} part${parts > 1 ? "s" : ""}`);
    const more = part < parts ? `\n\n[Truncated: fetch ${nameOf(reference)}#${part + 1} to continue]` : "";
    return {
      ...linkTo(ctx, reference),
      title,
      text: partOf(text, part) + more,
      metadata: withoutNulls({
        ...local(metadata, timezone),
        ...(parts > 1 && { part, parts, length: text.length }),
        ...(await todayFor(ctx)),
      }),
    };
  },
});

export const searchTools = [searchTool, fetchTool] as const;
