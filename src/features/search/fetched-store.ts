import { addDays, dayWithWeekday } from "../../contract/days.ts";
import { TRASH_DAYS } from "../../contract/life-cycle.ts";
import { type ItemReference, prefixedId, type ReferenceKind } from "../../contract/links.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, hasCode } from "../../platform/core/errors.ts";
import { readableContent } from "../../shared/markdown/content-text.ts";
import type { Neighbours } from "../documents/link-list-store.ts";
import { getPlacedDocument } from "../documents/list-store.ts";
import { whyMissingDocument } from "../documents/rejection-store.ts";
import { toolFolder, toolTimes } from "../documents/tool-document.ts";
import { getVersion } from "../documents/versions-store.ts";
import type { AttachedFile } from "../files/attached.ts";
import { whyMissingMemory } from "../memories/rejection-store.ts";
import { getMemoryWithFiles } from "../memories/store.ts";
import { remindersForTools } from "../memories/tool-plan.ts";
import { getMemoryVersion } from "../memories/versions-store.ts";

/** The response of the tool `fetch`: a text and its metadata. */
type FetchedItem = { title: string; text: string; metadata: Record<string, unknown> };

function trashFields(trashed_at: string | null) {
  if (trashed_at === null) return {};
  const last = dayWithWeekday(addDays(trashed_at.slice(0, 10), TRASH_DAYS));
  return { trashed_at, in_trash: `Will be erased after ${last}: restore brings it back` };
}

/** The attached files, with the ids that `fetch` accepts. */
function fileFields(attached: readonly AttachedFile[]) {
  const files = attached.map(({ id, name, type, pages }) => ({
    id: `file:${id}`,
    name,
    type,
    ...(pages !== null && { pages }),
  }));
  return files.length === 0 ? {} : { files };
}

/** What a document links to, and what links to it: some of each, with the number of all if there are more. */
function neighbourFields({ links, missing, link_count, backlinks, backlink_count }: Neighbours) {
  const named = (some: Neighbours["links"]) =>
    some.map(({ id, title }) => ({ id: prefixedId({ kind: "document", id }), title }));
  return {
    ...(links.length > 0 && { links: named(links) }),
    ...(link_count > links.length && { link_count }),
    ...(missing.length > 0 && { missing_links: missing }),
    ...(backlinks.length > 0 && { backlinks: named(backlinks) }),
    ...(backlink_count > backlinks.length && { backlink_count }),
  };
}

async function readDocumentVersion(ctx: Ctx, id: string, version: number): Promise<FetchedItem> {
  const { title, tags, content, created_at, client_name, source_type } = await getVersion(ctx, id, version);
  const metadata = { version, tags, written_at: created_at, written_by: client_name ?? source_type };
  return { title, text: readableContent(content ?? null), metadata };
}

async function readDocument(ctx: Ctx, { id, version }: ItemReference): Promise<FetchedItem> {
  if (version) return readDocumentVersion(ctx, id, version);
  const { document, folder_path, trashed_at, files, neighbours } = await getPlacedDocument(ctx, id);
  const { title, content, id: _, folder_id, updated_at, changed_at, ...metadata } = document;
  const folder = folder_id && folder_path !== null ? toolFolder({ id: folder_id, path: folder_path }) : null;
  return {
    title,
    text: readableContent(content ?? null),
    metadata: {
      ...metadata,
      ...toolTimes({ updated_at, changed_at }),
      folder,
      ...fileFields(files),
      ...neighbourFields(neighbours),
      ...trashFields(trashed_at),
    },
  };
}

const prefixedIdOrNull = (kind: ReferenceKind, id: string | number | null) =>
  id === null ? null : prefixedId({ kind, id });

async function readRecordVersion(ctx: Ctx, id: string, version: number): Promise<FetchedItem> {
  const {
    topic,
    content,
    memory_id: _,
    document_id,
    remind,
    created_at,
    client_name,
    source_type,
    ...metadata
  } = await getMemoryVersion(ctx, Number(id), version);
  const fields = {
    document_id: prefixedIdOrNull("document", document_id),
    remind: remind && remindersForTools(remind),
    written_at: created_at,
    written_by: client_name ?? source_type,
  };
  return { title: topic, text: content, metadata: { ...metadata, ...fields } };
}

async function readRecord(ctx: Ctx, { id, version }: ItemReference): Promise<FetchedItem> {
  if (version) return readRecordVersion(ctx, id, version);
  const {
    topic,
    content,
    id: _,
    resolution_note,
    note,
    document_id,
    supersedes_id,
    superseded_by_id,
    series_id,
    remind,
    trashed_at = null,
    files,
    ...metadata
  } = await getMemoryWithFiles(ctx, Number(id));
  const fields = {
    note: resolution_note ?? note,
    document_id: prefixedIdOrNull("document", document_id),
    replaces_id: prefixedIdOrNull("memory", supersedes_id),
    replaced_by_id: prefixedIdOrNull("memory", superseded_by_id),
    series_id: prefixedIdOrNull("memory", series_id),
    remind: remind && remindersForTools(remind),
    ...fileFields(files),
    ...trashFields(trashed_at),
  };
  return { title: topic, text: content, metadata: { ...metadata, ...fields } };
}

const READ_BY_KIND = { document: readDocument, memory: readRecord };

/** Rethrows a 404 with where the document, record or version is. */
export const explainNotFound =
  (ctx: Ctx, { kind, id, version }: Pick<ItemReference, "kind" | "id" | "version">) =>
  async (problem: unknown): Promise<never> => {
    if (!hasCode(problem, "not_found")) throw problem;
    const why =
      kind === "document" ? whyMissingDocument(ctx, id, version) : whyMissingMemory(ctx, Number(id), version);
    throw new AppError(404, await why);
  };

/** Reads the document, record or version that a reference names. A 404 explains why, for example that it is in the trash. */
export const readReferencedItem = (ctx: Ctx, reference: ItemReference): Promise<FetchedItem> =>
  READ_BY_KIND[reference.kind](ctx, reference).catch(explainNotFound(ctx, reference));
