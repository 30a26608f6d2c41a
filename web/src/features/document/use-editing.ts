import { useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { holdDraft } from "../../state/document-drafts.ts";
import { Conflict, showSaved } from "./data.ts";
import { Edited, type Held } from "./edited.ts";
import { inTurn } from "./in-turn.ts";
import { useKeeping } from "./keeping.ts";
import { mergeWith, type Overlapping, type Text } from "./merging.ts";
import { explained, isWrittenIn, titled, write } from "./saving.ts";
import type { Start } from "./start.ts";
import { sameWriting } from "./writing.ts";

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

/** A text, what it is based on, and what it becomes when somebody else has changed that. */
function useMerging(owner: string, start: Start, show: Options["show"]) {
  const [base, setBase] = useState(start.base);
  const [title, setTitle] = useState(start.title);
  /** Another state of the document in which somebody has changed the same passage, and both once they are to be seen. */
  const [other, setOther] = useState<Document>();
  const [conflict, setConflict] = useState<Overlapping>();
  const edited = useRef(new Edited(start, start.keptAt !== undefined));
  const draft = useKeeping(owner, start, { edited, onCreated: setBase });
  const held = base?.id ?? "new";
  const { writer } = draft;
  useEffect(() => holdDraft({ owner, id: held, writer }), [owner, held, writer]);
  const baseOn = (document: Document) => {
    draft.based.current = document;
    draft.sent.current = [];
    setBase(document);
    setOther(undefined);
    setConflict(undefined);
  };
  /** Goes on from another state of the document; false when that takes a decision, for which `isAsked` shows both. */
  const goOnFrom = (theirs: Document, isAsked = false): boolean => {
    const { current: before } = draft.based;
    if (!before) return false;
    const mine = { title: edited.current.title, text: edited.current.text };
    const { text, overlapping } = mergeWith(theirs, before, { mine, sent: draft.sent.current });
    if (overlapping) {
      setOther(theirs);
      if (isAsked) setConflict(overlapping);
      return false;
    }
    setTitle(text.title);
    if (text.text !== edited.current.text) show(text.text);
    Object.assign(edited.current, text);
    baseOn(theirs);
    return true;
  };
  return { base, title, setTitle, other, conflict, edited, draft, baseOn, goOnFrom };
}

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

/** Sends what is written, one request at a time. */
function useSaving(start: Start, { draft, edited, baseOn, goOnFrom, other }: Merging) {
  // What another app shares is not saved either, until somebody says so or writes on.
  const isNew = !start.base && `${start.title}${start.text}` !== "";
  const [status, setStatus] = useState<Status>(start.keptAt || isNew ? "unsaved" : "saved");
  const [problem, setProblem] = useState<Error>();
  const saving = useRef<Promise<Document | undefined>>(undefined);
  const accept = async (saved: Document, sent: Text) => {
    const before = draft.based.current;
    // The title that is shown may be that of a change that waits: it stays the one that nobody changed here.
    baseOn(before && before.title === titled(sent).title ? { ...saved, title: before.title } : saved);
    const isStill = edited.current.title === sent.title && edited.current.text === sent.text;
    if (isStill) await draft.drop();
    else saveSoon();
    setStatus(isStill ? "saved" : "unsaved");
    showSaved(saved);
    return saved;
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
      setStatus("unsaved");
      if (!(refused instanceof Conflict)) setProblem(explained(refused as Error));
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
  const current = () => (draft.creation.current === undefined ? draft.based.current : undefined);
  /**
   * Returns the saved document, or undefined when it was refused. One save at a time:
   * two that are based on the same version would be a conflict with oneself.
   */
  const save = async ({ isAsked = true, ...given }: Asked = {}) => {
    let before: Document | undefined;
    while (saving.current) before = await saving.current;
    if (before && !edited.current.isDirty) return before;
    const over = before ?? ("over" in given ? given.over : current());
    const turn = draft.based.current?.id ?? draft.writer;
    const sent = inTurn(turn, (written) => sendAfter(written, over, isAsked)).finally(() => {
      saving.current = undefined;
    });
    saving.current = sent;
    return sent;
  };
  const saveSoon = useSavingSoon(
    () => {
      const isReady = edited.current.isDirty && isWhole(start, edited.current) && (!other || goOnFrom(other));
      if (isReady) void save({ isAsked: false });
    },
    () => edited.current.length,
  );
  return { status, setStatus, problem, save, saveSoon, isSaving: () => saving.current !== undefined };
}

type Merging = ReturnType<typeof useMerging>;
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
    /** What somebody else has written where this text was changed as well; `showBoth` leads to it. */
    other: conflict ? undefined : merging.other,
    showBoth: () => merging.other && merging.goOnFrom(merging.other, true),
    ...{ status: saving.status, problem: saving.problem, save: saving.save },
    /** Whether the browser keeps what is not saved. */
    isKept: draft.isKept,
    keep: draft.keep,
  };
}
