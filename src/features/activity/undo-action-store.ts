import type { Activity } from "../../contract/activity.ts";
import type { ActivityVerb, RecordKind } from "../../contract/activity-words.ts";
import type { FolderSnapshot } from "../../contract/folder.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { deleteDocument, restoreDocument } from "../documents/trash-store.ts";
import { restoreVersion } from "../documents/versions-store.ts";
import { deleteEmptyFolder } from "../folders/delete-store.ts";
import { restoreFolder, updateFolder } from "../folders/store.ts";
import { refileTrashed } from "../memories/project-store.ts";
import {
  deleteMemory,
  redoNextStatements,
  restoreMemory,
  undoNextStatements,
} from "../memories/trash-store.ts";
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
  /** The records that the same request restores, whose texts are not changed besides. */
  restored: ReadonlySet<string>;
};

const previousVersion = ({ version_before }: UndoableEntry) => version_before ?? 0;

const folderBefore = ({ state }: UndoableEntry) => JSON.parse(state ?? "{}") as FolderSnapshot;

/** How changes of each kind are undone. A restored record is deleted again, like a created one. */
const UNDO_ACTIONS: Record<RecordKind, Record<"created" | "deleted" | "changed", UndoAction>> = {
  document: {
    created: (ctx, { record_id }, undoContext) => deleteDocument(ctx, record_id, undoContext),
    deleted: (ctx, { record_id, version_before, version_after }, undoContext) => {
      const version = version_before === version_after ? undefined : (version_before ?? undefined);
      return restoreDocument(ctx, record_id, undoContext, version);
    },
    changed: (ctx, found, undoContext) =>
      restoreVersion(ctx, found.record_id, previousVersion(found), undoContext),
  },
  memory: {
    created: (ctx, { record_id }, undoContext) => deleteMemory(ctx, Number(record_id), undoContext),
    deleted: (ctx, { record_id }, undoContext) => restoreMemory(ctx, Number(record_id), undoContext),
    changed: (ctx, found, undoContext) => {
      const restore = undoContext.isTrashed ? refileTrashed : restoreMemoryVersion;
      return restore(ctx, Number(found.record_id), previousVersion(found), undoContext);
    },
  },
  folder: {
    created: (ctx, { record_id }, undoContext) => deleteEmptyFolder(ctx, record_id, undoContext),
    deleted: (ctx, found, undoContext) =>
      restoreFolder(ctx, found.record_id, folderBefore(found), undoContext),
    changed: (ctx, found, undoContext) => {
      const { name, parent_id } = folderBefore(found);
      return updateFolder(ctx, found.record_id, { name, parent_id }, undoContext);
    },
  },
};

/** Verbs other than these three are undone by restoring the previous version. */
export function undoActionFor({ kind, verb }: UndoableEntry): UndoAction {
  const { created, deleted, changed } = UNDO_ACTIONS[kind];
  if (verb === "created" || verb === "restored") return created;
  return verb === "deleted" ? deleted : changed;
}

const NEXT_VERBS: readonly ActivityVerb[] = ["created", "restored", "deleted"];

/** Undoes the closing of a record of a series and the creation of the next, or what undid both, in one transaction. */
export function undoTogether(
  ctx: Ctx,
  [one, other]: readonly [UndoableEntry, UndoableEntry],
  contextOf: (entry: UndoableEntry) => UndoContext,
): Promise<unknown> {
  const [next, closing] = NEXT_VERBS.includes(one.verb) ? [one, other] : [other, one];
  const [id, writer] = [Number(next.record_id), contextOf(next)];
  const together =
    next.verb === "deleted"
      ? { behind: () => redoNextStatements(ctx, id, writer) }
      : { ahead: undoNextStatements(ctx, id, writer) };
  return restoreMemoryVersion(ctx, Number(closing.record_id), previousVersion(closing), {
    ...contextOf(closing),
    ...together,
  });
}
