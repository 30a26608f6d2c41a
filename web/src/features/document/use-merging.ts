import { useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { holdDraft } from "../../state/document-drafts.ts";
import { Edited } from "./edited.ts";
import { useKeeping } from "./keeping.ts";
import { leftOver, mergeWith, type Overlapping, type Text, theirsIn } from "./merging.ts";
import type { Start } from "./start.ts";

/** A text, what it is based on, and what it becomes when somebody else has changed that. */
export function useMerging(owner: string, start: Start, show: (text: string) => void) {
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
    draft.theirs.current = undefined;
    setOther(undefined);
    setConflict(undefined);
  };
  const merged = (theirs: Document, before: Document) => {
    const mine = { title: edited.current.title, text: edited.current.text };
    return mergeWith(theirs, before, { mine, sent: draft.sent.current });
  };
  /** What somebody else has written comes into the text. */
  const take = (next: Text) => {
    setTitle(next.title);
    if (next.text !== edited.current.text) show(next.text);
    Object.assign(edited.current, next);
  };
  /** Goes on from another state of the document; false when that takes a decision, for which `isAsked` shows both. */
  const goOnFrom = (theirs: Document, isAsked = false): boolean => {
    const { current: before } = draft.based;
    if (!before) return false;
    const { text, overlapping } = merged(theirs, before);
    if (overlapping) {
      draft.theirs.current = theirsIn(theirs, draft.theirs.current);
      setOther(theirs);
      if (isAsked) setConflict(overlapping);
      return false;
    }
    take(text);
    baseOn(theirs);
    return true;
  };
  /** What overlaps with another state. All else that was changed there comes into the text. */
  const overlapWith = (theirs: Document): Overlapping | undefined => {
    const { current: before } = draft.based;
    const overlapping = before && merged(theirs, before).overlapping;
    if (overlapping) take(overlapping.mine);
    return overlapping;
  };
  /** The service has everything but what overlaps. */
  const leaveOver = (overlapping: Overlapping, saved: Document) => {
    const { based, theirs } = draft;
    if (!based.current) return;
    const by = theirsIn(overlapping.theirs, theirs.current);
    baseOn(leftOver(based.current, overlapping));
    theirs.current = { ...by, latest: saved.version };
    setOther(saved);
  };
  return {
    ...{ base, title, setTitle, other, conflict, edited, draft },
    hideBoth: () => setConflict(undefined),
    ...{ baseOn, goOnFrom, overlapWith, leaveOver },
  };
}

export type Merging = ReturnType<typeof useMerging>;
