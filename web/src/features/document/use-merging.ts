import { useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { lockDraft } from "../../state/document-drafts.ts";
import { EditBuffer } from "./edit-buffer.ts";
import {
  conflictingVersion,
  type MergeConflict,
  mergeDocument,
  type TitledText,
  unmergedBase,
} from "./merging.ts";
import type { EditStart } from "./start.ts";
import { useDraftStorage } from "./use-draft-storage.ts";

/** The edited text, the version it is based on, and merging with newer versions. */
export function useMerging(owner: string, start: EditStart, show: (text: string) => void) {
  const [base, setBase] = useState(start.base);
  const [title, setTitle] = useState(start.title);
  /** The version that changed the same passage; `conflict` is set while the comparison is open. */
  const [other, setOther] = useState<Document>();
  const [conflict, setConflict] = useState<MergeConflict>();
  const edited = useRef(new EditBuffer(start, start.keptAt !== undefined));
  const draft = useDraftStorage(owner, start, { edited, onCreated: setBase });
  const heldId = base?.id ?? "new";
  const { writer } = draft;
  useEffect(() => lockDraft({ owner, id: heldId, writer }), [owner, heldId, writer]);
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
    return mergeDocument(theirs, before, { mine, sent: draft.sent.current });
  };
  /** Shows a text with merged changes. */
  const applyMerged = (next: TitledText) => {
    setTitle(next.title);
    if (next.text !== edited.current.text) show(next.text);
    Object.assign(edited.current, next);
  };
  /** Merges a newer version; returns false on a conflict, which `isAsked` opens for comparison. */
  const mergeWithNewer = (theirs: Document, isAsked = false): boolean => {
    const { current: before } = draft.based;
    if (!before) return false;
    const { text, overlapping } = merged(theirs, before);
    if (overlapping) {
      draft.theirs.current = conflictingVersion(theirs, draft.theirs.current);
      setOther(theirs);
      if (isAsked) setConflict(overlapping);
      return false;
    }
    applyMerged(text);
    baseOn(theirs);
    return true;
  };
  /** Returns the conflict with another version, after merging everything else from it into the text. */
  const conflictWith = (theirs: Document): MergeConflict | undefined => {
    const { current: before } = draft.based;
    const overlapping = before && merged(theirs, before).overlapping;
    if (overlapping) applyMerged(overlapping.mine);
    return overlapping;
  };
  /** Everything but the conflicting passages has been saved. */
  const keepConflict = (overlapping: MergeConflict, saved: Document) => {
    const { based, theirs } = draft;
    if (!based.current) return;
    const by = conflictingVersion(overlapping.theirs, theirs.current);
    baseOn(unmergedBase(based.current, overlapping));
    theirs.current = { ...by, latest: saved.version };
    setOther(saved);
  };
  return {
    base,
    title,
    setTitle,
    other,
    conflict,
    edited,
    draft,
    hideBoth: () => setConflict(undefined),
    baseOn,
    mergeWithNewer,
    conflictWith,
    keepConflict,
  };
}

export type MergingState = ReturnType<typeof useMerging>;
