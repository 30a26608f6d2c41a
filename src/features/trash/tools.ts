import { z } from "zod";
import type { Access } from "../../contract/access.ts";
import { localMinute } from "../../contract/days.ts";
import { pickFields } from "../../contract/field-spec.ts";
import { AnyId } from "../../contract/ids.ts";
import { type ItemReference, parseReference, prefixedId, type ReferenceKind } from "../../contract/links.ts";
import type { TrashList } from "../../contract/trash.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { defineTool, todayField, withoutNulls } from "../../platform/tools/tool.ts";
import { contentBody } from "../../shared/markdown/content-text.ts";
import { changedLines } from "../documents/changed-lines.ts";
import { findFolderById } from "../documents/folder-path-store.ts";
import { getDocument } from "../documents/store.ts";
import { resolveTitleToId } from "../documents/title-store.ts";
import { ToolFolder, toolFolder } from "../documents/tool-document.ts";
import { restoreDocument } from "../documents/trash-store.ts";
import { listVersions, restoreVersion } from "../documents/versions-store.ts";
import { toolWriter } from "../documents/write-tools.ts";
import { ConfirmedMemory, confirmMemory } from "../memories/tool-memory.ts";
import { restoreMemory } from "../memories/trash-store.ts";
import { listMemoryVersions, restoreMemoryVersion } from "../memories/versions-store.ts";
import { ACCESS_BY_KIND, readableType, TOOL_HINTS } from "../search/fetch-tools.ts";
import { explainNotFound } from "../search/fetched-store.ts";
import { findTrashState, listTrash } from "./store.ts";

const TrashedItem = z.strictObject({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  folder: ToolFolder.optional(),
  trashed_at: z.string(),
});

function folderField(item: TrashList["items"][number]) {
  if (item.type === "memory" || !item.folder_id || item.folder_path === undefined) return {};
  return { folder: toolFolder({ id: item.folder_id, path: item.folder_path }) };
}

function toTrashedItem(item: TrashList["items"][number], timezone: string): z.infer<typeof TrashedItem> {
  return {
    id: prefixedId({ kind: item.type, id: item.id }),
    kind: item.type,
    title: item.type === "document" ? item.title : item.topic,
    ...folderField(item),
    trashed_at: localMinute(item.trashed_at, timezone),
  };
}

export const listTrashTool = defineTool({
  name: "list_trash",
  title: "List the trash",
  description: "What was deleted in the last 30 days, latest first. restore brings it back.",
  access: ["docs:read", "memory:read"],
  adds: [],
  changes: [],
  hints: TOOL_HINTS,
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
    const { items, total } = await listTrash(ctx, { type: readableType(ctx), ...page });
    const { timezone } = await ctx.user();
    const shown = items.map((item) => toTrashedItem(item, timezone));
    return { items: shown, total, has_more: page.offset + items.length < total, ...(await todayField(ctx)) };
  },
});

const WRITE_ACCESS: Record<ReferenceKind, Access> = { document: "docs:write", memory: "memory:write" };

const resolveReference = async (ctx: Ctx, sent: string): Promise<ItemReference> =>
  parseReference(sent) ?? { kind: "document", id: await resolveTitleToId(ctx, sent), part: 1 };

async function restoreDocumentTo(ctx: Ctx, id: string, version: number | undefined) {
  const writer = toolWriter(ctx);
  const name = prefixedId({ kind: "document", id });
  const { isTrashed, hasVersion } = await findTrashState(ctx, id, version).catch(
    explainNotFound(ctx, { kind: "document", id }),
  );
  if (version === undefined) {
    if (isTrashed) return { document: await restoreDocument(ctx, id, writer), changed: [] };
    throw badRequest(`${name} is not in the trash: for an earlier state, give a version from list_versions`);
  }
  if (!hasVersion)
    throw new AppError(404, `${name} has no version ${version}: list_versions shows those that are kept`);
  const before = isTrashed ? await restoreDocument(ctx, id, writer) : await getDocument(ctx, id);
  const document = await restoreVersion(ctx, id, version, writer);
  return { document, changed: changedLines(contentBody(before.content), contentBody(document.content)) };
}

function restoreMemoryTo(ctx: Ctx, id: string, version: number | undefined) {
  const restored = version
    ? restoreMemoryVersion(ctx, Number(id), version, toolWriter(ctx))
    : restoreMemory(ctx, Number(id), toolWriter(ctx));
  return restored.catch(explainNotFound(ctx, { kind: "memory", id, ...(version && { version }) }));
}

export const restoreTool = defineTool({
  name: "restore",
  title: "Restore",
  description:
    "Brings a document or record back from the trash, or with version an earlier state; the present one stays a version.",
  access: ["docs:write", "memory:write"],
  needs: ({ id }) => {
    const reference = parseReference(id);
    return reference ? [WRITE_ACCESS[reference.kind]] : [WRITE_ACCESS.document, ACCESS_BY_KIND.document];
  },
  adds: ["documents", "records", "bytes"],
  changes: ["document", "memory"],
  hints: { destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ id: AnyId, version: z.int().min(1).optional() }),
  output: z.strictObject({
    id: z.string(),
    title: z.string().optional(),
    folder: ToolFolder.optional(),
    version: z.int().optional(),
    changed: z.array(z.string()).optional(),
    ...ConfirmedMemory.omit({ id: true, topic: true, version: true }).shape,
    today: z.string(),
  }),
  withoutContent: ({ id, today }) => ({ id, today }),
  aliases: { document_id: "id", memory_id: "id", url: "id" },
  run: async (ctx, input) => {
    const { kind, id, version } = await resolveReference(ctx, input.id);
    if (input.version !== undefined && version !== undefined && input.version !== version)
      throw badRequest(
        `version: the id has version ${version}, but version is ${input.version}: send only one of them`,
      );
    const requested = input.version ?? version;
    if (kind === "document") {
      const { document, changed } = await restoreDocumentTo(ctx, id, requested);
      const { title, version, folder_id } = document;
      const place = folder_id ? await findFolderById(ctx, folder_id) : undefined;
      const shown = { title, folder: toolFolder(place ?? null), version };
      const lines = changed.length > 0 && { changed };
      return { id: prefixedId({ kind, id }), ...shown, ...lines, ...(await todayField(ctx)) };
    }
    const record = await restoreMemoryTo(ctx, id, requested);
    const { topic, ...state } = confirmMemory(record);
    const changes = { ...(topic && { title: topic }), ...(requested && { version: record.version }) };
    return { ...state, ...changes, ...(await todayField(ctx)) };
  },
});

/** All versions that are kept. */
const PAGE = { limit: 100, offset: 0 };

const ListedVersion = z.strictObject({
  id: z.string(),
  title: z.string(),
  status: z.string().optional(),
  due_date: z.string().optional(),
  project: z.string().optional(),
  written_at: z.string(),
  written_by: z.string().optional(),
});

type VersionOrigin = { created_at: string; client_name: string | null; source_type: string | null };

const originFields = ({ created_at, client_name, source_type }: VersionOrigin, timezone: string) =>
  withoutNulls({
    written_at: localMinute(created_at, timezone),
    written_by: client_name ?? source_type,
  });

async function readVersions(ctx: Ctx, { kind, id }: ItemReference) {
  const { items, total } =
    kind === "document" ? await listVersions(ctx, id, PAGE) : await listMemoryVersions(ctx, Number(id), PAGE);
  const { timezone } = await ctx.user();
  const versions = items.map((item) => ({
    id: prefixedId({ kind, id, version: item.version }),
    ...("topic" in item
      ? { title: item.topic, ...withoutNulls(pickFields(item, ["status", "due_date", "project"])) }
      : { title: item.title }),
    ...originFields(item, timezone),
  }));
  return { versions, total };
}

export const listVersionsTool = defineTool({
  name: "list_versions",
  title: "List versions",
  description:
    "Earlier versions of a document or record, newest first: fetch reads one by its id, restore brings it back.",
  access: ["docs:read", "memory:read"],
  needs: ({ id }) => [ACCESS_BY_KIND[parseReference(id)?.kind ?? "document"]],
  adds: [],
  changes: [],
  hints: TOOL_HINTS,
  input: z.strictObject({ id: AnyId }),
  output: z.strictObject({ versions: z.array(ListedVersion), total: z.int(), today: z.string() }),
  aliases: { document_id: "id", memory_id: "id", url: "id" },
  run: async (ctx, input) => {
    const reference = await resolveReference(ctx, input.id);
    const { kind, id } = reference;
    const versions = await readVersions(ctx, reference).catch(explainNotFound(ctx, { kind, id }));
    return { ...versions, ...(await todayField(ctx)) };
  },
});

export const trashTools = [listTrashTool, listVersionsTool, restoreTool] as const;
