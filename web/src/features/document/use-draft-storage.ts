import { useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { deleteDraft, lockDraft, saveDraft, saveDraftSync } from "../../state/document-drafts.ts";
import { linkFilesToDocument } from "../../state/pending-files.ts";
import type { EditBuffer } from "./edit-buffer.ts";
import type { EditStart } from "./start.ts";

const PAUSE_MS = 500;

type Options = { edited: { current: EditBuffer }; onCreated: (created: Document) => void };

/** Keeps the unsaved text in this browser, at each pause in typing and when the page is hidden or closed. */
export function useDraftStorage(owner: string, start: EditStart, { edited, onCreated }: Options) {
  const [isKept, setKept] = useState(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const based = useRef(start.base);
  const creation = useRef(start.creation);
  const sent = useRef(start.sent ?? []);
  const theirs = useRef(start.theirs);
  const [writer] = useState(() => start.writer || randomId());
  const place = () => ({ owner, id: based.current?.id ?? "new", writer });
  const keep = async (isLeaving = false) => {
    clearTimeout(timer.current);
    const { isDirty, title, text } = edited.current;
    if (!isDirty && !creation.current) return;
    const at = new Date().toISOString();
    const sending = { creation: creation.current, sent: sent.current, theirs: theirs.current };
    const draft = { title, text, base: based.current, at, from: start.from, like: start.like, ...sending };
    if (isLeaving) saveDraftSync(place(), draft);
    await saveDraft(place(), draft).then(
      () => setKept(true),
      () => setKept(false),
    );
  };
  const releases = useRef<(() => void)[] | undefined>(undefined);
  useEffect(() => {
    releases.current = [];
    return () => {
      for (const release of releases.current ?? []) release();
      releases.current = undefined;
    };
  }, []);
  const latest = useRef(keep);
  latest.current = keep;
  useEffect(() => {
    const leave = () => void latest.current(true);
    addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", leave);
    return () => {
      removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", leave);
      leave();
    };
  }, []);
  const keepSoon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void latest.current(), PAUSE_MS);
  };
  const drop = () => {
    clearTimeout(timer.current);
    edited.current.isDirty = false;
    return deleteDraft(place());
  };
  /** Makes it a draft of the document that was just created. */
  const moveTo = async (created: Document) => {
    await drop();
    edited.current.isDirty = true;
    creation.current = undefined;
    based.current = created;
    // Before the draft is stored there: otherwise the background sender would send it too and merge it with itself.
    releases.current?.push(lockDraft(place()));
    onCreated(created);
    void linkFilesToDocument(writer, created.id);
    await keep();
  };
  return { isKept, keep, keepSoon, drop, based, creation, sent, theirs, writer, moveTo };
}

export type DraftStorage = ReturnType<typeof useDraftStorage>;
