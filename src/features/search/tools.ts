import { z } from "zod";
import type { Access } from "../../contract/access.ts";
import { dayOf, localMinute } from "../../contract/days.ts";
import { AnyId } from "../../contract/ids.ts";
import { type Kind, nameOf, type Reference, readReference, urlOf } from "../../contract/links.ts";
import type { SearchQuery, SearchResult } from "../../contract/search.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { defineTool, todayFor, withoutNulls } from "../../platform/tools/tool.ts";
import { ShownFolder, shownFolder } from "../documents/tool-document.ts";
import { readReferenced } from "./fetched-store.ts";
import { countParts, partOf } from "./split-text.ts";
import { search } from "./store.ts";

const MAX_QUERY = 500;
const MAX_HITS = 20;
const MAX_SNIPPET = 300;

const ACCESS_OF: Record<Kind, Access> = { document: "docs:read", memory: "memory:read" };
const READ = [ACCESS_OF.document, ACCESS_OF.memory] as const;
const HINTS = { destructive: false, idempotent: true, openWorld: false };

const may = (ctx: Ctx, access: Access) => !ctx.scopes || ctx.scopes.includes(access);

const linkTo = (ctx: Ctx, reference: Pick<Reference, "kind" | "id">) => ({
  id: nameOf(reference),
  url: urlOf(ctx.public_url ?? "", reference),
});

const cut = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;

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
    'meaning, so give synonyms with OR. In the query: "a phrase", -word, pre*, a OR b, title:word, tag:x, folder:Name, task:open, ' +
    "after:2026-01-31, before:…, type:document or type:commitment …, status:active, project:Apollo, page:2. Filters " +
    "alone: last changed first.",
  access: READ,
  adds: [],
  changes: [],
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
  elsewhere: {
    ...{
      project: "write project:Apollo into query",
      tag: "write tag:x into query",
      tags: "write tag:x into query",
    },
    ...{ folder: "write folder:Name into query", type: "write type:decision into query" },
    ...{ status: "write status:active into query", page: "write page:2 into query" },
    ...{
      offset: "write page:2 into query",
      limit: "an answer has twenty results; page:2 in query has the next",
    },
    tasks: "write task:open into query",
    ...{ after: "write after:2026-01-31 into query", before: "write before:2026-01-31 into query" },
  },
  run: async (ctx, { query }) => {
    const { q: asked, page } = splitPage(query);
    const q = asked.slice(0, MAX_QUERY).replaceAll("\u0000", " ").toWellFormed();
    if (q === "")
      throw badRequest("query: must contain at least one word, or a filter such as type:decision");
    const offset = (page - 1) * MAX_HITS;
    const { results, total, notes } = await search(
      ctx,
      { q, type: typeFor(ctx), limit: MAX_HITS, offset },
      "assistant",
    );
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

const local = (metadata: Record<string, unknown>, timezone: string) =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      name.endsWith("_at") && typeof value === "string" ? localMinute(value, timezone) : value,
    ]),
  );

export const fetchTool = defineTool({
  name: "fetch",
  title: "Fetch",
  description:
    "Reads one document or record: doc:<uuid>, mem:<number> or its URL. @3 after the id reads version 3, #2 the second " +
    "part of a long text.",
  access: READ,
  needs: ({ id }) => {
    const reference = readReference(id);
    return reference ? [ACCESS_OF[reference.kind]] : [];
  },
  adds: [],
  changes: [],
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
  elsewhere: { version: "write it after the id: mem:4@3", part: "write it after the id: doc:<uuid>#2" },
  run: async (ctx, { id }) => {
    const reference = readReference(id);
    if (!reference) {
      throw badRequest(
        "id: must be doc:<uuid>, mem:<number> or a URL, as search returns it; list_documents shows what is in a folder",
      );
    }
    const { title, text, metadata } = await readReferenced(ctx, reference);
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
