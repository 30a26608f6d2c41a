import { useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { refreshFiles } from "../files/known.ts";
import { namesOthers } from "../files/reference.ts";
import { Conflict, showSaved, showWritten } from "./data.ts";
import type { Held } from "./edited.ts";
import { inTurn } from "./in-turn.ts";
import type { Text } from "./merging.ts";
import { explained, isWrittenIn, titled, write } from "./saving.ts";
import type { Start } from "./start.ts";
import { type Merging, useMerging } from "./use-merging.ts";
import { sameWriting, writingOf } from "./writing.ts";

const textIn = ({ content }: Document) => writingOf(content).text;

export type Status = "saved" | "unsaved" | "saving";

/** A text is saved so long after the last key. */
const PAUSE_MS = 1500;

/** It is saved no sooner than so long after it was saved last: a long one takes longer to be sent and indexed. */
const leastMs = (characters: number) => 5000 + characters / 20;
/** So many texts that were sent and not answered are remembered. */
const MOST_SENT = 20;

/** Runs `save` after a pause in writing, and at once when somebody looks away. */
function useSavingSoon(save: () => unknown, length: () => number) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef(0);
  const latest = useRef(save);
  latest.current = () => {
    clearTimeout(timer.current);
    last.current = Date.now();
    return save();
  };
  useEffect(() => {
    const look = () => document.hidden && latest.current();
    const away = () => void latest.current();
    addEventListener("blur", away);
    document.addEventListener("visibilitychange", look);
    return () => {
      away();
      removeEventListener("blur", away);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return () => {
    clearTimeout(timer.current);
    const pause = Math.max(PAUSE_MS, last.current + leastMs(length()) - Date.now());
    timer.current = setTimeout(() => void latest.current(), pause);
  };
}

type Options = {
  /** The document as it is known to be now. */
  latest: Document | undefined;
  /** Puts a text in which somebody else's changes are into the editor. */
  show: (text: string) => void;
};

/** `over` nothing, it becomes a new document; `isAsked`: by a person, who waits for what becomes of it. */
type Asked = { over?: Document | undefined; isAsked?: boolean };

/** JSON is saved by itself only when it is complete. */
function isWhole({ kind }: Start, { text }: Text): boolean {
  if (kind !== "json") return true;
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** One save at a time: two that are based on the same version would be a conflict with oneself. */
function useTurns({ based, writer }: Merging["draft"]) {
  const saving = useRef<Promise<Document | undefined>>(undefined);
  return {
    /** Gets what this tab has written of the document before. */
    alone: (change: (written: Document | undefined) => Promise<Document | undefined>) => {
      const sent = inTurn(based.current?.id ?? writer, change).finally(() => {
        saving.current = undefined;
      });
      saving.current = sent;
      return sent;
    },
    isSaving: () => saving.current !== undefined,
    /** Resolves once none is under way, with what the last of them has saved. */
    ended: async () => {
      let last: Document | undefined;
      while (saving.current) last = await saving.current;
      return last;
    },
  };
}

/** Returns what shows a saved text: once the editor has been left, in lists that may be on the screen as well. */
function useShow(): (saved: Document, before?: Document) => void {
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  return (saved, before) => {
    if (isLeft.current) showWritten(saved);
    else showSaved(saved);
    // What a text names belongs to its document: the service has seen to it.
    if (before && namesOthers(textIn(before), textIn(saved))) void refreshFiles();
  };
}

/**
 * Sends what does not overlap with another state of a document. Returns what that has become; undefined if there is
 * nothing to send. Throws ApiError and Conflict.
 */
async function sendAround(theirs: Document, start: Start, merging: Merging): Promise<Document | undefined> {
  const { draft, overlapWith, leaveOver } = merging;
  const overlapping = overlapWith(theirs);
  if (!overlapping || isWrittenIn(theirs, start, overlapping.other)) return;
  const saved = await write(start, draft, { over: theirs, text: overlapping.other, sitting: draft.writer });
  leaveOver(overlapping, saved);
  await draft.keep();
  return saved;
}

/** Sends what is written. */
function useSaving(start: Start, merging: Merging) {
  const { draft, edited, baseOn, goOnFrom, other, conflict } = merging;
  // What another app shares is not saved either, until somebody says so or writes on.
  const isNew = !start.base && `${start.title}${start.text}` !== "";
  const [status, setStatus] = useState<Status>(start.keptAt || isNew ? "unsaved" : "saved");
  const [problem, setProblem] = useState<Error>();
  const { alone, isSaving, ended } = useTurns(draft);
  const show = useShow();
  const accept = async (saved: Document, sent: Text) => {
    const before = draft.based.current;
    // The title that is shown may be that of a change that waits: it stays the one that nobody changed here.
    baseOn(before && before.title === titled(sent).title ? { ...saved, title: before.title } : saved);
    const isStill = edited.current.title === sent.title && edited.current.text === sent.text;
    if (isStill) await draft.drop();
    else saveSoon();
    setStatus(isStill ? "saved" : "unsaved");
    show(saved, before);
    return saved;
  };
  const notSaved = (refused: unknown) => {
    setStatus("unsaved");
    // What overlaps waits for a decision, and the rest is sent.
    if (refused instanceof Conflict) saveSoon();
    else setProblem(explained(refused as Error));
  };
  const send = async (over: Document | undefined, isAsked: boolean): Promise<Document | undefined> => {
    const { title, text } = edited.current;
    draft.sent.current = [...draft.sent.current.slice(-MOST_SENT), titled({ title, text })];
    await draft.keep();
    setStatus("saving");
    setProblem(undefined);
    try {
      const saved = await write(start, draft, { over, text: { title, text }, sitting: draft.writer });
      return await accept(saved, { title, text });
    } catch (refused) {
      const isMerged = refused instanceof Conflict && goOnFrom(refused.theirs, isAsked);
      if (isMerged) return send(refused.theirs, isAsked);
      notSaved(refused);
      return undefined;
    }
  };
  /** Sends it over what this tab has written last: an editor that was left a moment ago, or a tick. */
  const sendAfter = async (written: Document | undefined, over: Document | undefined, isAsked: boolean) => {
    if (!written || !over || written.version <= over.version) return send(over, isAsked);
    if (!goOnFrom(written, isAsked)) return undefined;
    const { title, text } = edited.current;
    return isWrittenIn(written, start, { title, text })
      ? accept(written, { title, text })
      : send(written, isAsked);
  };
  const around = async (theirs: Document): Promise<undefined> => {
    setProblem(undefined);
    try {
      const saved = await sendAround(theirs, start, merging);
      if (saved) show(saved);
    } catch (refused) {
      if (refused instanceof Conflict) goOnFrom(refused.theirs);
      notSaved(refused);
    }
  };
  const current = () => (draft.creation.current === undefined ? draft.based.current : undefined);
  /** Returns the saved document, or undefined when it was refused. */
  const save = async ({ isAsked = true, ...given }: Asked = {}) => {
    const before = await ended();
    if (before && !edited.current.isDirty) return before;
    const over = before ?? ("over" in given ? given.over : current());
    return alone((written) => sendAfter(written, over, isAsked));
  };
  const saveSoon = useSavingSoon(
    () => {
      if (!edited.current.isDirty || !isWhole(start, edited.current)) return;
      if (!other || goOnFrom(other)) void save({ isAsked: false });
      else if (!conflict && !isSaving()) void alone(() => around(other));
    },
    () => edited.current.length,
  );
  return { status, setStatus, problem, save, saveSoon, isSaving };
}

export type Editing = ReturnType<typeof useEditing>;

/**
 * The state of a text that is being written. It is kept in this browser at every pause and saved soon after it; what
 * somebody else has changed meanwhile is merged into it, unless both have changed the same passage.
 */
export function useEditing(owner: string, start: Start, { latest, show }: Options) {
  const merging = useMerging(owner, start, show);
  const saving = useSaving(start, merging);
  const { base, title, conflict, edited, draft } = merging;
  // Somebody else has written it, or its tags and folder were changed.
  const isOvertaken = base !== undefined && latest !== undefined && latest.version > base.version;
  const follow = useRef((_: Document) => {});
  follow.current = (next) => {
    if (saving.isSaving() || conflict || !base) return;
    if (sameWriting(next, base)) merging.baseOn(next);
    else if (merging.goOnFrom(next) && edited.current.isDirty) saving.saveSoon();
  };
  useEffect(() => {
    if (isOvertaken) follow.current(latest);
  }, [isOvertaken, latest]);
  // What was not saved the last time.
  const begin = useRef(() => {});
  begin.current = () => edited.current.isDirty && saving.saveSoon();
  useEffect(() => void begin.current(), []);
  const change = (part: { title?: string; text?: Held }) => {
    Object.assign(edited.current, part, { isDirty: true });
    if (part.title !== undefined) merging.setTitle(part.title);
    saving.setStatus("unsaved");
    draft.keepSoon();
    saving.saveSoon();
  };
  /** Saves what somebody has decided on who has seen both texts. */
  const decide = (theirs: Document, text: Text) => {
    draft.based.current = theirs;
    Object.assign(edited.current, text, { isDirty: true });
    return saving.save({ over: theirs });
  };
  return {
    ...{ base, title, conflict, edited, change, decide },
    theirs: draft.theirs.current,
    /** What somebody else has written where this text was changed as well; `showBoth` leads to it. */
    other: conflict ? undefined : merging.other && draft.theirs.current,
    showBoth: () => merging.other && merging.goOnFrom(merging.other, true),
    hideBoth: merging.hideBoth,
    ...{ status: saving.status, problem: saving.problem, save: saving.save },
    /** Whether the browser keeps what is not saved. */
    isKept: draft.isKept,
    writer: draft.writer,
    keep: draft.keep,
  };
}
