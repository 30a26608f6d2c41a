import type { Activity } from "../../contract/activity.ts";
import type { ActivityVerb, RecordKind } from "../../contract/activity-words.ts";
import type { FolderSnapshot } from "../../contract/folder.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { deleteDocument, restoreDocument } from "../documents/trash-store.ts";
import { restoreVersion } from "../documents/versions-store.ts";
import { deleteEmptyFolder } from "../folders/delete-store.ts";
import { restoreFolder, updateFolder } from "../folders/store.ts";
import { refileTrashed } from "../memories/project-store.ts";
import { deleteMemory, restoreMemory } from "../memories/trash-store.ts";
import { restoreMemoryVersion } from "../memories/versions-store.ts";

export type UndoableEntry = Activity & { state: string | null; is_mine: number };

type UndoAction = (ctx: Ctx, found: UndoableEntry, undoContext: UndoContext) => Promise<unknown>;

export type UndoContext = {
  source_type: "api" | "mcp" | "web";
  client_name?: string | undefined;
  undoOf: number;
  /** Verbs of later changes that do not prevent the undo. */
  ignoreVerbs?: readonly ActivityVerb[];
  isTrashed: boolean;
};

const previousVersion = ({ version_before }: UndoableEntry) => version_before ?? 0;

const folderBefore = ({ state }: UndoableEntry) => JSON.parse(state ?? "{}") as FolderSnapshot;

/** How changes of each kind are undone. Verbs not listed restore the previous version. */
const UNDO_ACTIONS: Record<
  RecordKind,
  { created: UndoAction; deleted: UndoAction; restored: UndoAction; changed: UndoAction }
> = {
  document: {
    created: (ctx, { record_id }, undoContext) => deleteDocument(ctx, record_id, undoContext),
    deleted: (ctx, { record_id, version_before, version_after }, undoContext) =>
      restoreDocument(
        ctx,
        record_id,
        undoContext,
        version_before === version_after ? undefined : (version_before ?? undefined),
      ),
    restored: (ctx, { record_id }, undoContext) => deleteDocument(ctx, record_id, undoContext),
    changed: (ctx, found, undoContext) =>
      restoreVersion(ctx, found.record_id, previousVersion(found), undoContext),
  },
  memory: {
    created: (ctx, { record_id }, undoContext) => deleteMemory(ctx, Number(record_id), undoContext),
    deleted: (ctx, { record_id }, undoContext) => restoreMemory(ctx, Number(record_id), undoContext),
    restored: (ctx, { record_id }, undoContext) => deleteMemory(ctx, Number(record_id), undoContext),
    changed: (ctx, found, undoContext) =>
      (undoContext.isTrashed ? refileTrashed : restoreMemoryVersion)(
        ctx,
        Number(found.record_id),
        previousVersion(found),
        undoContext,
      ),
  },
  folder: {
    created: (ctx, { record_id }, undoContext) => deleteEmptyFolder(ctx, record_id, undoContext),
    deleted: (ctx, found, undoContext) =>
      restoreFolder(ctx, found.record_id, folderBefore(found), undoContext),
    restored: (ctx, { record_id }, undoContext) => deleteEmptyFolder(ctx, record_id, undoContext),
    changed: (ctx, found, undoContext) => {
      const { name, parent_id } = folderBefore(found);
      return updateFolder(ctx, found.record_id, { name, parent_id }, undoContext);
    },
  },
};

export const undoActionFor = ({ kind, verb }: UndoableEntry): UndoAction =>
  verb === "created" || verb === "deleted" || verb === "restored"
    ? UNDO_ACTIONS[kind][verb]
    : UNDO_ACTIONS[kind].changed;
