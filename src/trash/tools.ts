import { z } from "zod";
import type { Access } from "../core/access.ts";
import type { Ctx } from "../core/ctx.ts";
import { localMinute } from "../core/days.ts";
import { AppError, badRequest } from "../core/errors.ts";
import { type Kind, nameOf, type Reference, readReference } from "../core/links.ts";
import { defineTool, todayFor } from "../core/tool.ts";
import { restoreDocument } from "../documents/trash-store.ts";
import { listVersions, restoreVersion } from "../documents/versions-store.ts";
import { restoreMemory } from "../memories/trash-store.ts";
import type { TrashList, TrashListQuery } from "./schema.ts";
import { isTrashed, listTrash } from "./store.ts";

// What was deleted or overwritten, and how it comes back.

const READ_HINTS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

const TrashedItem = z.strictObject({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  trashed_at: z.string(),
});

/** What this caller may see of the trash. */
function visibleTo({ scopes }: Ctx): TrashListQuery["type"] {
  if (scopes && !scopes.includes("memory:read")) return "documents";
  return scopes && !scopes.includes("docs:read") ? "memories" : "all";
}

function itemOf(item: TrashList["items"][number], timezone: string): z.infer<typeof TrashedItem> {
  const title = item.type === "document" ? item.title : item.topic;
  const id = nameOf({ kind: item.type, id: String(item.id) });
  return { id, kind: item.type, title, trashed_at: localMinute(item.trashed_at, timezone) };
}

export const listTrashTool = defineTool({
  name: "list_trash",
  title: "List the trash",
  description: "What was deleted in the last 30 days, latest first. restore brings it back.",
  access: ["docs:read", "memory:read"],
  hints: READ_HINTS,
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(20),
    offset: z.int().min(0).default(0),
  }),
  output: z.strictObject({
    items: z.array(TrashedItem),
    total: z.int(),
    has_more: z.boolean(),
    today: z.string(),
  }),
  run: async (ctx, page) => {
    const { items, total } = await listTrash(ctx, { type: visibleTo(ctx), ...page });
    const { timezone } = await ctx.user();
    const shown = items.map((item) => itemOf(item, timezone));
    return { items: shown, total, has_more: page.offset + items.length < total, ...(await todayFor(ctx)) };
  },
});

const ACCESS: Record<Kind, Access> = { document: "docs:write", memory: "memory:write" };

/** Adds where the ids are to the error for an unknown one. */
const explained = (name: string) => (problem: unknown) => {
  if (!(problem instanceof AppError) || problem.status !== 404) throw problem;
  throw new AppError(404, `${name} was not found: list_trash and list_versions show the ids`);
};

/** Parses an id. Throws 400. */
function referenceOf(id: string): Reference {
  const reference = readReference(id);
  if (reference) return reference;
  throw badRequest(
    "id: must be doc:<uuid> or mem:<number>, as list_trash, list_versions and search return it",
  );
}

/** Parses the id of a document. Throws 400. */
function documentOf(id: string): Reference {
  const reference = referenceOf(id);
  if (reference.kind === "document") return reference;
  throw badRequest(`${nameOf(reference)} is a record, which has no versions`);
}

const writerOf = (ctx: Ctx) => ({ source_type: "mcp" as const, client_name: ctx.client_name });

async function bringBack(ctx: Ctx, id: string, version: number | undefined) {
  const writer = writerOf(ctx);
  const name = nameOf({ kind: "document", id });
  const trashed = await isTrashed(ctx, id).catch(explained(name));
  if (version === undefined) {
    if (trashed) return restoreDocument(ctx, id, writer);
    throw badRequest(`${name} is not in the trash: for an earlier state give its version, see list_versions`);
  }
  if (trashed) await restoreDocument(ctx, id, writer);
  return restoreVersion(ctx, id, version, writer).catch(explained(`${name}@${version}`));
}

export const restoreTool = defineTool({
  name: "restore",
  title: "Restore",
  description:
    "Brings a document or record back from the trash, or with version an earlier state of a document; the present one " +
    "is kept as a version.",
  access: ["docs:write", "memory:write"],
  needs: ({ id }) => {
    const reference = readReference(id);
    return reference ? [ACCESS[reference.kind]] : [];
  },
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ id: z.string(), version: z.int().min(1).optional() }),
  output: z.strictObject({
    id: z.string(),
    title: z.string().optional(),
    version: z.int().optional(),
    status: z.string().optional(),
  }),
  receipt: ({ id }) => ({ id }),
  aliases: { document_id: "id", memory_id: "id", url: "id" },
  run: async (ctx, input) => {
    if (input.version === undefined && referenceOf(input.id).kind === "memory") {
      const name = nameOf(referenceOf(input.id));
      const record = await restoreMemory(ctx, Number(referenceOf(input.id).id), writerOf(ctx)).catch(
        explained(name),
      );
      return { id: name, title: record.topic, status: record.status };
    }
    const reference = documentOf(input.id);
    const { title, version } = await bringBack(ctx, reference.id, input.version ?? reference.version);
    return { id: nameOf({ kind: "document", id: reference.id }), title, version };
  },
});

const MAX_VERSIONS = 50;

export const listVersionsTool = defineTool({
  name: "list_versions",
  title: "List versions",
  description:
    "The earlier versions of a document, newest first: fetch reads one by its id, restore brings it back.",
  access: "docs:read",
  hints: READ_HINTS,
  input: z.strictObject({ id: z.string() }),
  output: z.strictObject({
    versions: z.array(
      z.strictObject({
        id: z.string(),
        title: z.string(),
        written_at: z.string(),
        written_by: z.string(),
      }),
    ),
    total: z.int(),
    today: z.string(),
  }),
  aliases: { document_id: "id", url: "id" },
  run: async (ctx, input) => {
    const { id } = documentOf(input.id);
    const named = nameOf({ kind: "document", id });
    const { items, total } = await listVersions(ctx, id, { limit: MAX_VERSIONS, offset: 0 }).catch(
      explained(named),
    );
    const { timezone } = await ctx.user();
    const versions = items.map(({ version, title, created_at, client_name, source_type }) => ({
      id: nameOf({ kind: "document", id, version }),
      title,
      written_at: localMinute(created_at, timezone),
      written_by: client_name ?? source_type,
    }));
    return { versions, total, ...(await todayFor(ctx)) };
  },
});

export const trashTools = [listTrashTool, listVersionsTool, restoreTool] as const;
