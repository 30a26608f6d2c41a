import { useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { refreshFiles } from "../files/file-queries.ts";
import { haveDifferentFiles } from "../files/reference.ts";
import { queueChange } from "./change-queue.ts";
import { Conflict, publishDocument, publishWhileEditing } from "./data.ts";
import type { EditorText } from "./edit-buffer.ts";
import type { TitledText } from "./merging.ts";
import { explainError, isSavedIn, saveText, withTitle } from "./saving.ts";
import type { EditStart } from "./start.ts";
import { type MergingState, useMerging } from "./use-merging.ts";
import { isSameWriting, writingOf } from "./writing.ts";

const contentText = ({ content }: Document) => writingOf(content).text;

export type SaveStatus = "saved" | "unsaved" | "saving";

/** Pause in typing after which the text is saved. */
const PAUSE_MS = 1500;

/** Minimum time between two saves: a long text takes longer to send and index. */
const minSaveIntervalMs = (characters: number) => 5000 + characters / 20;
/** How many unanswered texts are remembered. */
const MAX_SENT = 20;

/** Runs `save` after a pause in typing, and immediately when the window loses focus or is hidden. */
function useAutosave(save: () => unknown, length: () => number) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef(0);
  const latest = useRef(save);
  latest.current = () => {
    clearTimeout(timer.current);
    last.current = Date.now();
    return save();
  };
  useEffect(() => {
    const saveIfHidden = () => document.hidden && latest.current();
    const saveNow = () => void latest.current();
    addEventListener("blur", saveNow);
    document.addEventListener("visibilitychange", saveIfHidden);
    return () => {
      saveNow();
      removeEventListener("blur", saveNow);
      document.removeEventListener("visibilitychange", saveIfHidden);
    };
  }, []);
  return () => {
    clearTimeout(timer.current);
    const pause = Math.max(PAUSE_MS, last.current + minSaveIntervalMs(length()) - Date.now());
    timer.current = setTimeout(() => void latest.current(), pause);
  };
}

type Options = {
  /** The newest known state of the document. */
  latest: Document | undefined;
  /** Puts a text with merged changes into the editor. */
  show: (text: string) => void;
};

/** `over`: document to overwrite; undefined creates one. `isAsked`: the user pressed Save and waits. */
type SaveOptions = { over?: Document | undefined; isAsked?: boolean };

/** JSON is saved automatically only when it is complete. */
function isComplete({ kind }: EditStart, { text }: TitledText): boolean {
  if (kind !== "json") return true;
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** Runs one save at a time: two saves based on the same version would conflict with each other. */
function useSaveQueue({ based, writer }: MergingState["draft"]) {
  const saving = useRef<Promise<Document | undefined>>(undefined);
  return {
    /** `change` gets the document as this tab saved it last. */
    enqueue: (change: (lastSaved: Document | undefined) => Promise<Document | undefined>) => {
      const sent = queueChange(based.current?.id ?? writer, change).finally(() => {
        saving.current = undefined;
      });
      saving.current = sent;
      return sent;
    },
    isSaving: () => saving.current !== undefined,
    /** Resolves with the last saved document once no save is in progress. */
    idle: async () => {
      let last: Document | undefined;
      while (saving.current) last = await saving.current;
      return last;
    },
  };
}

/** Returns a function that updates the cache after a save; once the editor is closed, lists are refreshed too. */
function usePublish(): (saved: Document, before?: Document) => void {
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  return (saved, before) => {
    if (isLeft.current) publishDocument(saved);
    else publishWhileEditing(saved);
    // The service has attached the files that the new text refers to.
    if (before && haveDifferentFiles(contentText(before), contentText(saved))) void refreshFiles();
  };
}

/**
 * Saves everything but the conflicting passages over another version of the document. Returns undefined if there is nothing
 * to save. Throws ApiError and Conflict.
 */
async function saveWithoutConflicts(
  theirs: Document,
  start: EditStart,
  merging: MergingState,
): Promise<Document | undefined> {
  const { draft, conflictWith, keepConflict } = merging;
  const overlapping = conflictWith(theirs);
  if (!overlapping || isSavedIn(theirs, start, overlapping.other)) return;
  const saved = await saveText(start, draft, {
    over: theirs,
    text: overlapping.other,
    editSession: draft.writer,
  });
  keepConflict(overlapping, saved);
  await draft.keep();
  return saved;
}

function useSaving(start: EditStart, merging: MergingState) {
  const { draft, edited, baseOn, mergeWithNewer, other, conflict } = merging;
  // A text that another app shared is not saved until the user saves or edits it.
  const isNew = !start.base && `${start.title}${start.text}` !== "";
  const [status, setStatus] = useState<SaveStatus>(start.keptAt || isNew ? "unsaved" : "saved");
  const [problem, setProblem] = useState<Error>();
  const { enqueue, isSaving, idle } = useSaveQueue(draft);
  const publish = usePublish();
  const accept = async (saved: Document, sent: TitledText) => {
    const before = draft.based.current;
    // The title on screen may come from a pending rename. It must not count as edited here.
    baseOn(before && before.title === withTitle(sent).title ? { ...saved, title: before.title } : saved);
    const isUnchanged = edited.current.title === sent.title && edited.current.text === sent.text;
    if (isUnchanged) await draft.drop();
    else saveSoon();
    setStatus(isUnchanged ? "saved" : "unsaved");
    publish(saved, before);
    return saved;
  };
  const fail = (refused: unknown) => {
    setStatus("unsaved");
    // Conflicting passages wait for the user; the rest is saved.
    if (refused instanceof Conflict) saveSoon();
    else setProblem(explainError(refused as Error));
  };
  const send = async (over: Document | undefined, isAsked: boolean): Promise<Document | undefined> => {
    const { title, text } = edited.current;
    draft.sent.current = [...draft.sent.current.slice(-MAX_SENT), withTitle({ title, text })];
    await draft.keep();
    setStatus("saving");
    setProblem(undefined);
    try {
      const saved = await saveText(start, draft, { over, text: { title, text }, editSession: draft.writer });
      return await accept(saved, { title, text });
    } catch (refused) {
      const isMerged = refused instanceof Conflict && mergeWithNewer(refused.theirs, isAsked);
      if (isMerged) return send(refused.theirs, isAsked);
      fail(refused);
      return undefined;
    }
  };
  /** Saves over what this tab wrote last, such as a tick or a text from an editor that was just closed. */
  const sendAfter = async (lastSaved: Document | undefined, over: Document | undefined, isAsked: boolean) => {
    if (!lastSaved || !over || lastSaved.version <= over.version) return send(over, isAsked);
    if (!mergeWithNewer(lastSaved, isAsked)) return undefined;
    const { title, text } = edited.current;
    return isSavedIn(lastSaved, start, { title, text })
      ? accept(lastSaved, { title, text })
      : send(lastSaved, isAsked);
  };
  const saveAround = async (theirs: Document): Promise<undefined> => {
    setProblem(undefined);
    try {
      const saved = await saveWithoutConflicts(theirs, start, merging);
      if (saved) publish(saved);
    } catch (refused) {
      if (refused instanceof Conflict) mergeWithNewer(refused.theirs);
      fail(refused);
    }
  };
  const current = () => (draft.creation.current === undefined ? draft.based.current : undefined);
  /** Returns the saved document, or undefined if saving failed. */
  const save = async ({ isAsked = true, ...given }: SaveOptions = {}) => {
    const before = await idle();
    if (before && !edited.current.isDirty) return before;
    const over = before ?? ("over" in given ? given.over : current());
    return enqueue((lastSaved) => sendAfter(lastSaved, over, isAsked));
  };
  const saveSoon = useAutosave(
    () => {
      if (!edited.current.isDirty || !isComplete(start, edited.current)) return;
      if (!other || mergeWithNewer(other)) void save({ isAsked: false });
      else if (!conflict && !isSaving()) void enqueue(() => saveAround(other));
    },
    () => edited.current.length,
  );
  return { status, setStatus, problem, save, saveSoon, isSaving };
}

export type EditingState = ReturnType<typeof useEditing>;

/**
 * The state of a document that is being edited. The text is kept in this browser at every pause and saved soon after. Changes
 * made elsewhere are merged into it, unless they conflict.
 */
export function useEditing(owner: string, start: EditStart, { latest, show }: Options) {
  const merging = useMerging(owner, start, show);
  const saving = useSaving(start, merging);
  const { base, title, conflict, edited, draft } = merging;
  // The text, tags or folder were changed elsewhere.
  const isOutdated = base !== undefined && latest !== undefined && latest.version > base.version;
  const follow = useRef((_: Document) => {});
  follow.current = (next) => {
    if (saving.isSaving() || conflict || !base) return;
    if (isSameWriting(next, base)) merging.baseOn(next);
    else if (merging.mergeWithNewer(next) && edited.current.isDirty) saving.saveSoon();
  };
  useEffect(() => {
    if (isOutdated) follow.current(latest);
  }, [isOutdated, latest]);
  // Saves a draft that was left unsaved.
  const saveDraft = useRef(() => {});
  saveDraft.current = () => edited.current.isDirty && saving.saveSoon();
  useEffect(() => void saveDraft.current(), []);
  const change = (part: { title?: string; text?: EditorText }) => {
    Object.assign(edited.current, part, { isDirty: true });
    if (part.title !== undefined) merging.setTitle(part.title);
    saving.setStatus("unsaved");
    draft.keepSoon();
    saving.saveSoon();
  };
  /** Saves the user's decision on a conflict. */
  const decide = (theirs: Document, text: TitledText) => {
    draft.based.current = theirs;
    Object.assign(edited.current, text, { isDirty: true });
    return saving.save({ over: theirs });
  };
  return {
    base,
    title,
    conflict,
    edited,
    change,
    decide,
    theirs: draft.theirs.current,
    /** The version that changed the same passage; `showBoth` opens the comparison. */
    other: conflict ? undefined : merging.other && draft.theirs.current,
    showBoth: () => merging.other && merging.mergeWithNewer(merging.other, true),
    hideBoth: merging.hideBoth,
    status: saving.status,
    problem: saving.problem,
    save: saving.save,
    /** Whether this browser keeps the unsaved text. */
    isKept: draft.isKept,
    writer: draft.writer,
    keep: draft.keep,
  };
}
