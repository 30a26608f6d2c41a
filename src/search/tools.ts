import { z } from "zod";
import type { Access } from "../core/access.ts";
import type { Ctx } from "../core/ctx.ts";
import { dayOf } from "../core/days.ts";
import { AppError, badRequest } from "../core/errors.ts";
import { defineTool, withoutNulls } from "../core/tool.ts";
import { documentProse } from "../documents/content-text.ts";
import { getDocument } from "../documents/store.ts";
import { getMemory } from "../memories/store.ts";
import { type Kind, nameOf, type Reference, readReference, urlOf } from "./links.ts";
import type { SearchQuery, SearchResult } from "./schema.ts";
import { countParts, partOf } from "./split-text.ts";
import { search } from "./store.ts";

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

/** A result in the form that ChatGPT and other clients expect. */
function toolResult(ctx: Ctx, result: SearchResult) {
  const snippet = cut(result.snippet, MAX_SNIPPET);
  if ("document" in result) {
    const { id, title } = result.document;
    return { ...linkTo(ctx, { kind: "document", id }), title, snippet, kind: "document" };
  }
  const { id, topic, status, memory_type } = result.memory;
  const reference = { kind: "memory", id: String(id) } as const;
  return { ...linkTo(ctx, reference), title: topic, snippet, kind: `${status} ${memory_type}` };
}

export const searchTool = defineTool({
  name: "search",
  title: "Search",
  description:
    'Finds documents and records, best first. In the query: "a phrase", -word, pre*, a OR b, title:word, tag:x, ' +
    "folder:Name, after:2026-01-31, before:…, type:document or type:commitment …, status:active, project:Apollo.",
  access: READ,
  hints: HINTS,
  input: z.strictObject({ query: z.string() }),
  output: z.strictObject({
    results: z.array(
      z.strictObject({
        id: z.string(),
        title: z.string(),
        url: z.string(),
        snippet: z.string(),
        kind: z.string(),
      }),
    ),
    total: z.int(),
    has_more: z.boolean(),
  }),
  aliases: { q: "query", text: "query" },
  run: async (ctx, { query }) => {
    const q = query.trim().slice(0, MAX_QUERY).replaceAll("\u0000", " ").toWellFormed();
    if (q === "") throw badRequest("query: must contain at least one word");
    const page = { limit: MAX_HITS, offset: 0 };
    const { results, total } = await search(ctx, { q, type: typeFor(ctx), ...page });
    const shown = results.map((result) => toolResult(ctx, result));
    return { results: shown, total, has_more: shown.length < total };
  },
});

type Fetched = { title: string; text: string; metadata: Record<string, unknown> };

async function readDocument(ctx: Ctx, id: string): Promise<Fetched> {
  const { title, content, id: _, ...metadata } = await getDocument(ctx, id);
  return { title, text: documentProse(content ?? null), metadata };
}

async function readRecord(ctx: Ctx, id: string): Promise<Fetched> {
  const { topic, content, id: _, ...metadata } = await getMemory(ctx, Number(id));
  const { timezone } = await ctx.user();
  return {
    title: topic,
    text: content,
    metadata: { ...metadata, today: dayOf(ctx.now, timezone), timezone },
  };
}

const READERS = { document: readDocument, memory: readRecord };

const unknown = (id: string) => (problem: unknown) => {
  if (!(problem instanceof AppError) || problem.status !== 404) throw problem;
  throw new AppError(404, `${id} was not found: use search or list_documents to find the ids`);
};

export const fetchTool = defineTool({
  name: "fetch",
  title: "Fetch",
  description:
    "Reads one document or record: doc:<uuid>, mem:<number>, or its URL. A long text comes in parts: doc:<uuid>#2 is " +
    "the second.",
  access: READ,
  needs: ({ id }) => {
    const reference = readReference(id);
    return reference ? [ACCESS_OF[reference.kind]] : [];
  },
  hints: HINTS,
  input: z.strictObject({ id: z.string() }),
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
    const { title, text, metadata } = await READERS[reference.kind](ctx, reference.id).catch(unknown(id));
    const [part, parts] = [reference.part, countParts(text)];
    if (part > parts) throw badRequest(`id: ${nameOf(reference)} has ${parts} part${parts > 1 ? "s" : ""}`);
    const more = part < parts ? `\n\n[Truncated: fetch ${nameOf(reference)}#${part + 1} to continue]` : "";
    return {
      ...linkTo(ctx, reference),
      title,
      text: partOf(text, part) + more,
      metadata: withoutNulls({ ...metadata, ...(parts > 1 && { part, parts, length: text.length }) }),
    };
  },
});

export const searchTools = [searchTool, fetchTool] as const;
