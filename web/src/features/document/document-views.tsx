import { memo, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Link, useLocation, useSearch } from "wouter";
import { textChangedAt, wasFiledAfterLastEdit } from "../../api/document-times.ts";
import type { Document } from "../../api/documents.ts";
import { type Action, useScreenActions } from "../../kit/actions.ts";
import { Button } from "../../kit/button.tsx";
import { Activity, Download, ListPlus, Pencil, TextCursor } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { useOfflineAction } from "../../kit/offline-action.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Moment } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { copyNames } from "../../state/copies.ts";
import type { Draft, StoredDraft } from "../../state/document-drafts.ts";
import { isBackNavigation, scrollToTop } from "../../state/list-positions.ts";
import { findDraft, useDocumentDraft } from "../../state/shown-drafts.ts";
import { whenIdle } from "../../state/when-idle.ts";
import AttachedFiles from "../files/attached-files.tsx";
import { folderPath, useFolders } from "../folders/folders.ts";
import { DOCUMENT_ACTIONS } from "../things/document-action-info.ts";
import { renameDocument, togglePin, trashDocuments } from "../things/document-actions.ts";
import { pinTag } from "../things/pinned.ts";
import { copyActions } from "./copying.ts";
import { discardDraft } from "./discard-draft.ts";
import styles from "./document.module.css";
import { downloadDocument } from "./download.ts";
import { duplicateDocument } from "./duplicate.ts";
import { EditView, prepareEditing, showPreparedEditor } from "./editing.tsx";
import { CopyPlus, Printer } from "./icons.ts";
import { LinkedFrom } from "./linked/linked-from.tsx";
import { headingFromHash } from "./links.ts";
import { Outline } from "./outline.tsx";
import type { HeadingEntry } from "./prose-headings.ts";
import { InteractiveContent } from "./reading.tsx";
import {
  followReading,
  isReturned,
  readScrollPosition,
  restoreScrollPosition,
  setResumePoint,
  takeReadPosition,
} from "./resume-point.ts";
import { DocumentSidebar } from "./side.tsx";
import { type EditStart, editStartOf, editStartOfDraft } from "./start.ts";
import { usePendingTick } from "./tick.ts";
import { TimeOfDay } from "./time-of-day.tsx";
import { Title } from "./title.tsx";
import { VersionsView } from "./versions.tsx";
import { documentWithDraft } from "./with-draft.ts";
import { useWriter } from "./writer.tsx";
import { writingOf } from "./writing.ts";

/** The newest version with the pending draft and ticks: a change based on what is on screen must not revert anything. */
function usePendingDocument(document: Document, draft: StoredDraft | undefined): Document {
  const ticked = usePendingTick(document.id);
  return useMemo(
    () => documentWithDraft(documentWithDraft(document, draft), ticked),
    [document, draft, ticked],
  );
}

const Place = ({ folderId }: { folderId: string | null }) => {
  const { data: folders = [] } = useFolders();
  return (
    <nav className={styles.place} aria-label="Folder path">
      <Link href="/documents">Documents</Link>
      {folderPath(folders, folderId).map(({ id, name }) => (
        <span key={id}>
          {" / "}
          <Link href={`/documents?folder=${id}`} title={name}>
            {name}
          </Link>
        </span>
      ))}
    </nav>
  );
};

const Changed = ({ document }: { document: Document }) => {
  const writer = useWriter(document);
  return (
    <p className={styles.changed}>
      Changed <Moment at={textChangedAt(document)} />
      {writer && !wasFiledAfterLastEdit(document) && `, by ${writer}`}
    </p>
  );
};

/** Whether the draft could not be merged, because the same passage was changed elsewhere. */
const isConflict = ({ refused, theirs }: Draft) => refused !== undefined && theirs !== undefined;

/** The end of the sentence "You have (unsaved) changes from 22:31…". */
function aboutDraft(draft: Draft): string {
  const { refused } = draft;
  if (refused === undefined) return ", shown here. They will sync when you’re back online.";
  return `${isConflict(draft) ? " that aren’t merged" : ", not shown here"}. ${refused}.`;
}

/** Above the text if the user has to decide; otherwise where it does not shift the text. */
const UnsavedNotice = ({ draft, onEdit }: { draft: StoredDraft; onEdit: () => void }) => (
  <div
    className={draft.refused ? styles.notice : `${styles.notice} ${styles.waits}`}
    role="status"
    data-at-end={draft.refused ? undefined : "question"}
  >
    <p>
      You have {isConflict(draft) ? "" : "unsaved "}changes from <TimeOfDay at={draft.at} />
      {aboutDraft(draft)}
    </p>
    <Button onPress={() => void discardDraft(draft)}>{isConflict(draft) ? "Discard mine" : "Discard"}</Button>
    <Button kind="primary" onPress={onEdit}>
      {isConflict(draft) ? "Compare" : "Keep editing"}
    </Button>
  </div>
);

/** The view that a query string names. */
export const documentView = (search: string) => {
  const parameters = new URLSearchParams(search);
  if (parameters.has("edit")) return "edit";
  return parameters.has("versions") ? "versions" : "read";
};

/** What a draft has of its creation is left out: the document exists. */
const editStart = (document: Document, draft: StoredDraft | undefined): EditStart => {
  if (!draft) return editStartOf(document);
  const { base = document, ...rest } = draft;
  return editStartOfDraft({ ...rest, base, creation: undefined, like: undefined, from: undefined });
};

type Props = { document: Document; owner: string };

/** Shows a document for reading, without adding to the browser's history. */
function useRead(): () => void {
  const [path, navigate] = useLocation();
  return () => navigate(path, { replace: true });
}

type PageActions = Record<"edit" | "rename" | "tag" | "move", () => void> & Record<"copy" | "keep", Action[]>;

function useDocumentActions(document: Document, page: PageActions): Action[] {
  const [path, navigate] = useLocation();
  const duplicate = () => void duplicateDocument(document, ({ id }) => navigate(`/documents/${id}?edit`));
  const trash = () => {
    navigate("/documents");
    void trashDocuments([document]);
  };
  const pin = pinTag(document) ? { ...DOCUMENT_ACTIONS.pin, name: "Unpin" } : DOCUMENT_ACTIONS.pin;
  return [
    { ...DOCUMENT_ACTIONS.edit, isOnPage: true, run: page.edit },
    { name: "Rename", icon: TextCursor, isOnPage: true, run: page.rename },
    { ...DOCUMENT_ACTIONS.tag, isOnPage: true, run: page.tag },
    { ...DOCUMENT_ACTIONS.move, run: page.move },
    { ...pin, run: () => void togglePin(document) },
    { name: "Duplicate", icon: CopyPlus, run: duplicate },
    ...page.copy,
    { ...DOCUMENT_ACTIONS.versions, run: () => navigate(`${path}?versions`) },
    {
      name: "Changes",
      icon: Activity,
      run: () => navigate(`/activity?kind=document&record=${document.id}`),
    },
    { name: "Download", icon: Download, run: () => downloadDocument(document) },
    { name: "Print", icon: Printer, run: () => print() },
    ...page.keep,
    { ...DOCUMENT_ACTIONS.trash, run: trash },
  ];
}

/**
 * Scrolls to where the text or its editor was left, once the text is shown. After the editor, focuses the Edit button, whose
 * ref it returns.
 */
function useReturn(id: string, article: RefObject<HTMLElement | null>, isShown: boolean) {
  const editButton = useRef<HTMLButtonElement>(null);
  const [returnPoint] = useState(() => takeReadPosition(id));
  useLayoutEffect(() => {
    if (returnPoint?.wasEditing) editButton.current?.focus({ preventScroll: true });
  }, [returnPoint]);
  useLayoutEffect(() => {
    if (isShown && returnPoint?.seen) restoreScrollPosition(article.current, returnPoint.seen);
  }, [article, isShown, returnPoint]);
  useEffect(() => (isShown ? followReading(id, () => article.current) : undefined), [id, article, isShown]);
  return editButton;
}

/** Shows the heading that the address names. The browser cannot, because the text is rendered later. Back leads where one was. */
function scrollToHash(): void {
  if (location.hash !== "" && !isBackNavigation() && !isReturned())
    document.getElementById(headingFromHash(location.hash))?.scrollIntoView();
}

/** Runs `work` when the browser is idle, at the latest before the next key or press is handled. */
function beforeNextInput(work: () => void): void {
  const listeners = new AbortController();
  const { signal } = listeners;
  const run = () => {
    if (signal.aborted) return;
    listeners.abort();
    flushSync(work);
  };
  for (const event of ["keydown", "beforeinput", "pointerdown"])
    addEventListener(event, run, { capture: true, signal });
  whenIdle(run, 300);
}

/**
 * Opens the editor, at the clicked offset of the text if there is one. There, the editor that was prepared is shown at once.
 *
 * @param isSaved whether the document is shown as the service has it
 */
function useWrite(
  document: Document,
  isSaved: boolean,
  article: RefObject<HTMLElement | null>,
  onOpen: (start: EditStart) => void,
) {
  const { id, title } = document;
  const { kind, text } = writingOf(document.content);
  useEffect(
    () => prepareEditing(id, { kind, text, title }, () => article.current),
    [id, kind, text, title, article],
  );
  const [path, navigate] = useLocation();
  return (place?: number, start?: number) => {
    const seen = readScrollPosition(article.current, place);
    const open = (now = seen) => {
      setResumePoint(id, { place, start, seen: now });
      navigate(`${path}?edit`, { replace: true });
    };
    if (place === undefined || !isSaved) return open();
    const beginning = { cursor: place, selectionStart: start, scrollPosition: seen };
    const seenNow = showPreparedEditor({ kind, text, title }, beginning);
    if (!seenNow) return open();
    // The screen around the editor follows, unless the person has gone elsewhere. Nothing is typed before.
    return beforeNextInput(() => {
      const now = seenNow();
      if (!now) return;
      onOpen(editStartOf(document));
      open(now.seen);
    });
  };
}

type ReadProps = Props & { onOpen: (start: EditStart) => void };

/** Not rendered again while its editor is being opened. */
const ReadView = memo(function ReadView({ document: known, owner, onOpen }: ReadProps) {
  const { isRead, draft } = useDocumentDraft(owner, known.id);
  const document = usePendingDocument(known, draft);
  const [isMoving, setMoving] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const [isShown, setShown] = useState(false);
  const [headings, setHeadings] = useState<readonly HeadingEntry[]>([]);
  const keeping = useOfflineAction(copyNames.document(document.id), document);
  const article = useRef<HTMLElement>(null);
  const editButton = useReturn(known.id, article, isShown);
  const { kind, text } = writingOf(document.content);
  // A draft has to be read again: it may be open in another tab.
  const isSaved = isRead && !draft && document === known;
  const write = useWrite(document, isSaved, article, onOpen);
  const title = useRef<HTMLButtonElement>(null);
  const aside = useRef<HTMLElement>(null);
  const [path, navigate] = useLocation();
  const addProperty = { name: "Add a property", icon: ListPlus, run: () => setAdding(true) };
  const mayHaveProperties = kind !== "json";
  const actions = useDocumentActions(document, {
    edit: () => write(),
    rename: () => title.current?.click(),
    tag: () => aside.current?.querySelector<HTMLElement>("input[role=combobox]")?.focus(),
    move: () => setMoving(true),
    copy: copyActions(document, article),
    keep: [...(mayHaveProperties ? [addProperty] : []), keeping],
  });
  useScreenActions("This document", actions);
  const unsavedNotice = draft && <UnsavedNotice draft={draft} onEdit={() => write()} />;
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <Place folderId={document.folder_id} />
        <div className={styles.actions}>
          <span className={styles.edit}>
            <Button ref={editButton} onPress={() => write()}>
              <Pencil aria-hidden="true" size="1rem" /> <span>Edit</span> <Key>e</Key>
            </Button>
          </span>
          <ActionMenu label="More" actions={actions.filter(({ isOnPage }) => !isOnPage)} />
        </div>
        <Title ref={title} title={document.title} onRename={(title) => renameDocument(document, title)} />
        <Changed document={document} />
      </header>
      {draft?.refused && unsavedNotice}
      <div className={styles.columns}>
        <div className={styles.main}>
          <InteractiveContent
            known={known}
            document={document}
            article={article}
            adding={{ isAdding, setAdding }}
            onEdit={write}
            onHeadings={setHeadings}
            onShown={() => {
              setShown(true);
              scrollToHash();
            }}
          />
          {isShown && (
            <>
              <AttachedFiles to={{ document: document.id }} text={text} />
              <LinkedFrom id={document.id} />
            </>
          )}
        </div>
        <aside ref={aside} className={styles.aside} aria-label="About this document" data-beside>
          <Outline headings={headings} />
          <DocumentSidebar
            document={document}
            isMoving={isMoving}
            setMoving={setMoving}
            onVersions={() => navigate(`${path}?versions`)}
          />
        </aside>
      </div>
      {!draft?.refused && unsavedNotice}
    </div>
  );
});

/** What the editor opens with, once the pending draft is read, or an editor is shown already; undefined while reading. */
function useOpened({ document, owner }: Props, isEditing: boolean) {
  const [opened, open] = useState<EditStart>();
  const { id } = document;
  const latest = useRef(document);
  latest.current = document;
  useEffect(() => {
    if (!isEditing) return open(undefined);
    let isWanted = true;
    const openDraft = (draft?: StoredDraft) =>
      isWanted && open((shown) => shown ?? editStart(latest.current, draft));
    void findDraft(owner, id).then(openDraft);
    return () => {
      isWanted = false;
    };
  }, [owner, id, isEditing]);
  return { start: isEditing ? opened : undefined, open };
}

/** The text, which stays on the screen until its editor can take its place. */
function TextView({ isEditing, ...props }: Props & { isEditing: boolean }) {
  const { document, owner } = props;
  const [, navigate] = useLocation();
  const read = useRead();
  const { start, open } = useOpened(props, isEditing);
  const wasRead = useRef(false);
  if (!isEditing) wasRead.current = true;
  if (!start) return wasRead.current ? <ReadView {...props} onOpen={open} /> : null;
  return (
    <div className={styles.page}>
      <EditView
        owner={owner}
        start={start}
        latest={document}
        onCreate={({ id }) => navigate(`/documents/${id}?edit`, { replace: true })}
        onLeave={read}
      />
    </div>
  );
}

function VersionHistory({ document }: Props) {
  const read = useRead();
  useShortcuts({ Escape: read });
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <Place folderId={document.folder_id} />
        <h1>Versions of {titleText(document.title)}</h1>
      </header>
      <VersionsView document={document} onLeave={read} />
    </div>
  );
}

/** An existing document, in the view that the URL names. */
export function DocumentViews({ document: shown, owner }: Props) {
  const view = documentView(useSearch());
  const isHistory = view === "versions";
  // biome-ignore lint/correctness/useExhaustiveDependencies: when either is left for the other
  useLayoutEffect(() => scrollToTop, [isHistory]);
  useEffect(() => {
    document.title = `${titleText(shown.title)} – Commonplace`;
  }, [shown.title]);
  if (isHistory) return <VersionHistory document={shown} owner={owner} />;
  return <TextView key={shown.id} document={shown} owner={owner} isEditing={view === "edit"} />;
}
