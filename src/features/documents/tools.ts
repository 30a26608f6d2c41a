import { z } from "zod";
import { resolveInstant } from "../../contract/days.ts";
import { DocumentListQuery } from "../../contract/document.ts";
import { omitUndefined } from "../../contract/omit.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { defineTool, todayField } from "../../platform/tools/tool.ts";
import { editDocumentTool } from "./edit-tools.ts";
import { findFolder } from "./folder-path-store.ts";
import { listPlacedDocuments } from "./list-store.ts";
import {
  FOLDER_ALIASES,
  ListedDocument,
  listedDocument,
  parseFields,
  TagNames,
  ToolFolder,
  toolFolder,
} from "./tool-document.ts";
import { createDocumentTool, deleteDocumentTool } from "./write-tools.ts";

async function requestedFolder(ctx: Ctx, folder: string | undefined) {
  if (folder === undefined) return {};
  if (folder.trim() === "/") return { folder_id: "none" as const };
  const { folder: found, inside } = await findFolder(ctx, folder);
  return { folder_id: found.id, found, inside };
}

/** For tools, "updated" means a changed text. Filing a document (tags, folder) does not count. */
const sortByTextChange = ({ sort, updated_after, ...query }: DocumentListQuery): DocumentListQuery => ({
  ...query,
  sort: sort === "updated_at" ? "changed_at" : sort,
  changed_after: updated_after,
});

export const listDocumentsTool = defineTool({
  name: "list_documents",
  title: "List documents",
  description:
    "Documents without their text, last changed first. To find by words, call search; to read one, fetch; for all " +
    "folders, whoami.",
  access: "docs:read",
  adds: [],
  changes: [],
  quotes: true,
  hints: { destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    folder: z.string().optional().meta({ description: "Name, path as Work/Notes, or id" }),
    tag: TagNames.meta({ description: "All of them must match" }),
    created_after: z.string().optional(),
    created_before: z.string().optional(),
    updated_after: z.string().optional(),
    sort: z.enum(["updated_at", "created_at", "title"]).optional(),
    limit: z.int().min(1).max(50).default(20),
    offset: z.int().min(0).default(0),
  }),
  output: z.strictObject({
    folder: ToolFolder.optional(),
    documents: z.array(ListedDocument),
    /** folders inside the requested one; their documents are not listed */
    subfolders: z.array(ToolFolder).optional(),
    total: z.int(),
    has_more: z.boolean(),
    today: z.string(),
  }),
  aliases: {
    tags: "tag",
    since: "updated_after",
    updated_since: "updated_after",
    created_since: "created_after",
    ...FOLDER_ALIASES,
  },
  run: async (ctx, { limit, offset, folder, created_after, created_before, updated_after, ...filters }) => {
    const days = Object.entries(omitUndefined({ created_after, created_before, updated_after }));
    const { timezone } = days.length === 0 ? { timezone: "UTC" } : await ctx.user();
    const query = parseFields(DocumentListQuery, {
      ...filters,
      ...Object.fromEntries(days.map(([name, day]) => [name, resolveInstant(day, timezone)])),
      limit: String(limit),
      offset: String(offset),
    });
    const { folder_id, found, inside = [] } = await requestedFolder(ctx, folder);
    const { items, total } = await listPlacedDocuments(ctx, { ...sortByTextChange(query), folder_id });
    const clock = { now: ctx.now, timezone: (await ctx.user()).timezone };
    // The requested folder is returned once, not for each document.
    const shown = found ? items.map((item) => ({ ...item, folder_id: null })) : items;
    return {
      ...(found && { folder: toolFolder(found) }),
      documents: shown.map((item) => listedDocument(item, clock)),
      ...(inside.length > 0 && { subfolders: inside.map(toolFolder) }),
      total,
      has_more: offset + items.length < total,
      ...(await todayField(ctx)),
    };
  },
});

export { createDocumentTool, deleteDocumentTool, editDocumentTool };
