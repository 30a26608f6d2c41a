import { addDays, namedDay } from "../../contract/days.ts";
import { type Kind, nameOf, type Reference } from "../../contract/links.ts";
import { documentProse } from "../../contract/markdown/content-text.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, hasCode } from "../../platform/core/errors.ts";
import { getPlacedDocument } from "../documents/list-store.ts";
import { whyMissingDocument } from "../documents/refusal-store.ts";
import { shownFolder, toolTimes } from "../documents/tool-document.ts";
import { getVersion } from "../documents/versions-store.ts";
import type { Attached } from "../files/attached.ts";
import { whyMissingMemory } from "../memories/refusal-store.ts";
import { getMemoryWithFiles } from "../memories/store.ts";
import { shortReminders } from "../memories/tool-plan.ts";
import { getMemoryVersion } from "../memories/versions-store.ts";

/** How long the trash keeps what is in it: features/trash/ erases it. */
const TRASH_DAYS = 30;

/** What the tool `fetch` answers: a text, and what else is known about it. */
export type Fetched = { title: string; text: string; metadata: Record<string, unknown> };

function inTrash(trashed_at: string | null) {
  if (trashed_at === null) return {};
  const last = namedDay(addDays(trashed_at.slice(0, 10), TRASH_DAYS));
  return { trashed_at, in_trash: `Until ${last}, then it is erased: restore brings it back` };
}

/** What is attached, as `fetch` takes it. */
const namedFiles = (files: readonly Attached[]) =>
  files.length === 0
    ? {}
    : {
        files: files.map(({ id, name, type, pages }) => ({
          id: `file:${id}`,
          name,
          type,
          ...(pages !== null && { pages }),
        })),
      };

async function readVersion(ctx: Ctx, id: string, version: number): Promise<Fetched> {
  const { title, tags, content, created_at, client_name, source_type } = await getVersion(ctx, id, version);
  const metadata = { version, tags, written_at: created_at, written_by: client_name ?? source_type };
  return { title, text: documentProse(content ?? null), metadata };
}

async function readDocument(ctx: Ctx, { id, version }: Reference): Promise<Fetched> {
  if (version) return readVersion(ctx, id, version);
  const { document, folder_path, trashed_at, files } = await getPlacedDocument(ctx, id);
  const { title, content, id: _, folder_id, updated_at, changed_at, ...metadata } = document;
  const folder = folder_id && folder_path !== null ? shownFolder({ id: folder_id, path: folder_path }) : null;
  return {
    title,
    text: documentProse(content ?? null),
    metadata: {
      ...metadata,
      ...toolTimes({ updated_at, changed_at }),
      folder,
      ...namedFiles(files),
      ...inTrash(trashed_at),
    },
  };
}

const named = (kind: Kind, id: string | number | null) => (id === null ? null : nameOf({ kind, id }));

async function readRecordVersion(ctx: Ctx, id: string, version: number): Promise<Fetched> {
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
  const written = { written_at: created_at, written_by: client_name ?? source_type };
  const document = named("document", document_id);
  const reminders = remind && shortReminders(remind);
  const told = { document_id: document, remind: reminders, ...written };
  return { title: topic, text: content, metadata: { ...metadata, ...told } };
}

async function readRecord(ctx: Ctx, { id, version }: Reference): Promise<Fetched> {
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
  const links = {
    document_id: named("document", document_id),
    replaces_id: named("memory", supersedes_id),
    replaced_by_id: named("memory", superseded_by_id),
    series_id: named("memory", series_id),
    remind: remind && shortReminders(remind),
  };
  const said = { note: resolution_note ?? note, ...links, ...namedFiles(files), ...inTrash(trashed_at) };
  return { title: topic, text: content, metadata: { ...metadata, ...said } };
}

const READERS = { document: readDocument, memory: readRecord };

const WHY_MISSING = {
  document: ({ id, version }: Reference, ctx: Ctx) => whyMissingDocument(ctx, id, version),
  memory: ({ id, version }: Reference, ctx: Ctx) => whyMissingMemory(ctx, Number(id), version),
};

const explained = (ctx: Ctx, reference: Reference) => async (problem: unknown) => {
  if (!hasCode(problem, "not_found")) throw problem;
  throw new AppError(404, await WHY_MISSING[reference.kind](reference, ctx));
};

/** The document, record or version that a reference names. Throws 404, and says where it is if the caller can know. */
export const readReferenced = (ctx: Ctx, reference: Reference): Promise<Fetched> =>
  READERS[reference.kind](ctx, reference).catch(explained(ctx, reference));
