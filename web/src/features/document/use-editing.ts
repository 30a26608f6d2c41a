import { useEffect, useRef, useState } from "react";
import { type Document, documentsApi } from "../../api.ts";
import { randomId } from "../../api/random-id.ts";
import { ApiError, isApiError } from "../../api/request.ts";
import { Conflict, showWritten, writeOver } from "./data.ts";
import { dropDraft, keepDraft, keepDraftAtOnce } from "../../state/document-drafts.ts";
import { contentWith, type Kind, sameWriting, writingOf } from "../../document/writing.ts";

/** What editing begins with. */
export type Start = {
  /** The document that is changed; none for a new one. */
  base: Document | undefined;
  /** The folder of a new one. */
  folder?: string | null;
  kind: Kind;
  title: string;
  text: string;
  /** When it was written, if it was not saved then. */
  keptAt?: string;
};

type Text = { title: string; text: string };
export type Status = "saved" | "unsaved" | "saving";

const PAUSE_MS = 500;

/** A title for a text that was given none: its first words. */
const titleOf = ({ title, text }: Text) =>
  title.trim() ||
  text
    .split("\n")
    .map((line) => line.replace(/^[#>*\s-]+/, "").trim())
    .find(Boolean)
    ?.slice(0, 100) ||
  "Untitled";

/** Keeps what is written in this browser, at each pause and when the page is left. */
function useKeeping(owner: string, { base }: Start, edited: { current: Text & { isDirty: boolean } }) {
  const id = base?.id ?? "new";
  const [isKept, setKept] = useState(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const based = useRef(base);
  const keep = async (isLeaving = false) => {
    clearTimeout(timer.current);
    const { isDirty, title, text } = edited.current;
    if (!isDirty) return;
    const draft = { title, text, base: based.current, at: new Date().toISOString() };
    if (isLeaving) keepDraftAtOnce(owner, id, draft);
    await keepDraft(owner, id, draft).then(
      () => setKept(true),
      () => setKept(false),
    );
  };
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
    return dropDraft(owner, id);
  };
  return { isKept, keep, keepSoon, drop, based };
}

/** Creates the document, or writes the edited text over the one that it is based on. */
async function write(start: Start, base: Document | undefined, text: Text, key: string): Promise<Document> {
  const title = titleOf(text);
  const content = contentWith(base?.content, { kind: start.kind, text: text.text });
  if (base) return writeOver(base, { title, content });
  return documentsApi.create({ title, content, folder_id: start.folder ?? null }, key);
}

const GONE = "This document has been deleted meanwhile. Your text is still here.";

function explained(problem: Error): Error {
  if (problem instanceof SyntaxError) return new ApiError(422, `This is not valid JSON: ${problem.message}`);
  return isApiError(problem, 404) ? new ApiError(404, GONE) : problem;
}

/**
 * The state of a text that is being written: kept in this browser at every pause, saved on demand.
 *
 * @param latest the document as it is known to be now
 */
export function useEditing(owner: string, start: Start, latest: Document | undefined) {
  const [base, setBase] = useState(start.base);
  // What another app shares is not saved either.
  const isNew = !start.base && `${start.title}${start.text}` !== "";
  const [status, setStatus] = useState<Status>(start.keptAt || isNew ? "unsaved" : "saved");
  const [problem, setProblem] = useState<Error>();
  const [conflict, setConflict] = useState<Document>();
  const [key] = useState(randomId);
  const edited = useRef({ title: start.title, text: start.text, isDirty: start.keptAt !== undefined });
  const draft = useKeeping(owner, start, edited);
  draft.based.current = base;

  // Tags and folder may be changed meanwhile: the text is then still based on the latest one.
  const isOvertaken = base !== undefined && latest !== undefined && latest.version > base.version;
  const isSame = isOvertaken && sameWriting(latest, base);
  useEffect(() => {
    if (isSame) setBase(latest);
  }, [isSame, latest]);

  const change = (part: Partial<Text>) => {
    Object.assign(edited.current, part, { isDirty: true });
    setStatus("unsaved");
    draft.keepSoon();
  };
  const accept = async (saved: Document, sent: Text) => {
    setBase(saved);
    setConflict(undefined);
    const isStill = edited.current.title === sent.title && edited.current.text === sent.text;
    if (isStill) await draft.drop();
    setStatus(isStill ? "saved" : "unsaved");
    showWritten(saved);
    return saved;
  };
  const refuse = (refused: Error) => {
    setStatus("unsaved");
    if (refused instanceof Conflict) setConflict(refused.theirs);
    else setProblem(explained(refused));
    return undefined;
  };
  /** Returns the saved document, or undefined when it was refused. Over nothing, it becomes a new one. */
  const save = async ({ over }: { over: Document | undefined } = { over: base }) => {
    await draft.keep();
    const { title, text } = edited.current;
    setStatus("saving");
    setProblem(undefined);
    try {
      return await accept(await write(start, over, { title, text }, key), { title, text });
    } catch (refused) {
      return refuse(refused as Error);
    }
  };
  return {
    base,
    status,
    problem,
    conflict,
    newer: isOvertaken && !isSame ? latest : undefined,
    edited,
    change,
    save,
    showConflict: setConflict,
    /** Whether the browser keeps what is not saved. */
    isKept: draft.isKept,
    keep: draft.keep,
    discard: draft.drop,
  };
}

export type Editing = ReturnType<typeof useEditing>;

/** Editing that begins with a document as it is. */
export const startWith = (base: Document): Start => ({ base, title: base.title, ...writingOf(base.content) });
