import { useEffect, useRef, useState } from "react";
import { type Document, documentsApi } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { ApiError, isApiError, isPassing } from "../../api/request.ts";
import { type Creation, dropDraft, keepDraft, keepDraftAtOnce } from "../../state/document-drafts.ts";
import { createdBefore } from "./creation.ts";
import { Conflict, showWritten, writeOver } from "./data.ts";
import { contentWith, type Kind, sameWriting, writingOf } from "./writing.ts";

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
  /** The address that gave its beginning. */
  from?: string | undefined;
  /** The request that was to create it, if its answer has not come. */
  creation?: Creation | undefined;
};

type Text = { title: string; text: string };
type Edited = Text & { isDirty: boolean };
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
function useKeeping(
  owner: string,
  start: Start,
  { edited, onCreated }: { edited: { current: Edited }; onCreated: (created: Document) => void },
) {
  const [isKept, setKept] = useState(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const based = useRef(start.base);
  const creation = useRef(start.creation);
  const id = () => based.current?.id ?? "new";
  const keep = async (isLeaving = false) => {
    clearTimeout(timer.current);
    const { isDirty, title, text } = edited.current;
    if (!isDirty && !creation.current) return;
    const at = new Date().toISOString();
    const draft = { title, text, base: based.current, at, from: start.from, creation: creation.current };
    if (isLeaving) keepDraftAtOnce(owner, id(), draft);
    await keepDraft(owner, id(), draft).then(
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
    return dropDraft(owner, id());
  };
  /** From now on it is a draft of this document, which has been created. */
  const moveTo = async (created: Document) => {
    await drop();
    edited.current.isDirty = true;
    creation.current = undefined;
    based.current = created;
    onCreated(created);
    await keep();
  };
  return { isKept, keep, keepSoon, drop, based, creation, moveTo };
}

/** What is written, as the service takes it. */
const written = ({ kind }: Start, base: Document | undefined, text: Text) => ({
  title: titleOf(text),
  content: contentWith(base?.content, { kind, text: text.text }),
});

/** Whether a request, or an earlier attempt at it, may have been carried out all the same. */
const isUndecided = (problem: unknown) => isPassing(problem) || isApiError(problem, 401, 409);

type Keeping = ReturnType<typeof useKeeping>;

/**
 * Creates the document with what is written now; while such a request has no answer, that one is repeated, whatever has
 * been written since.
 */
async function create(start: Start, { creation, keep, moveTo }: Keeping, text: Text): Promise<Document> {
  const body = { ...written(start, undefined, text), folder_id: start.folder ?? null };
  const isRepeated = creation.current !== undefined;
  creation.current ??= { key: randomId(), sent: new Date().toISOString(), body };
  await keep();
  const before = isRepeated ? await createdBefore(creation.current) : undefined;
  try {
    const created = before ?? (await documentsApi.create(creation.current.body, creation.current.key));
    await moveTo(created);
    return created;
  } catch (problem) {
    if (!isUndecided(problem)) creation.current = undefined;
    await keep();
    throw problem;
  }
}

/** Creates the document, or writes over the one that it is based on. */
async function write(
  start: Start,
  draft: Keeping,
  { over, text }: { over: Document | undefined; text: Text },
) {
  if (over) return writeOver(over, written(start, over, text));
  const created = await create(start, draft, text);
  const now = written(start, created, text);
  return sameWriting(created, { ...created, ...now }) ? created : writeOver(created, now);
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
  const edited = useRef({ title: start.title, text: start.text, isDirty: start.keptAt !== undefined });
  const saving = useRef<Promise<Document | undefined>>(undefined);
  const draft = useKeeping(owner, start, { edited, onCreated: setBase });
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
  const send = async (over: Document | undefined) => {
    await draft.keep();
    const { title, text } = edited.current;
    setStatus("saving");
    setProblem(undefined);
    try {
      return await accept(await write(start, draft, { over, text: { title, text } }), { title, text });
    } catch (refused) {
      return refuse(refused as Error);
    }
  };
  const creating = () => draft.creation.current !== undefined;
  /**
   * Returns the saved document, or undefined when it was refused. Over nothing, it becomes a new one. One save at a time:
   * two that are based on the same version would be a conflict with oneself.
   */
  const save = async ({ over }: { over: Document | undefined } = { over: creating() ? undefined : base }) => {
    let before: Document | undefined;
    while (saving.current) before = await saving.current;
    if (before && !edited.current.isDirty) return before;
    const sent = send(before ?? over).finally(() => {
      saving.current = undefined;
    });
    saving.current = sent;
    return sent;
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
