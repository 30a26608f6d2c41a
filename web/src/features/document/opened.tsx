import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { changedAt, type Document, isFiled } from "../../api/documents.ts";
import { Button } from "../../kit/button.tsx";
import {
  Activity,
  CopyPlus,
  Download,
  FolderInput,
  History,
  ListPlus,
  Pencil,
  Pin,
  Printer,
  Tag,
  TextCursor,
  Trash2,
} from "../../kit/icons.tsx";
import { useKeeping } from "../../kit/keeping.ts";
import { Key } from "../../kit/key.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import type { Action } from "../../kit/menu-button.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Moment } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { copied } from "../../state/copies.ts";
import { type Draft, type Kept, useDocumentDraft } from "../../state/document-drafts.ts";
import { useScreenActions } from "../../state/screen-actions.ts";
import FilesOf from "../files/of.tsx";
import { pathOf, useFolders } from "../folders/folders.ts";
import { renameDocument, togglePin, trashDocuments } from "../things/document-actions.ts";
import { pinOf } from "../things/pinned.ts";
import { beginAt, seenIn, showSeen, takeLeft } from "./begin-at.ts";
import { copyActions, copyLink } from "./copying.ts";
import { discardText } from "./discard-text.ts";
import styles from "./document.module.css";
import { duplicate } from "./duplicate.ts";
import { EditView } from "./editing.tsx";
import { download } from "./file.ts";
import { Outline } from "./outline.tsx";
import { Reading } from "./reading.tsx";
import { useShown } from "./shown.ts";
import { Side } from "./side.tsx";
import { type Start, startWith } from "./start.ts";
import { TimeOfDay } from "./time-of-day.tsx";
import { Title } from "./title.tsx";
import { VersionsView } from "./versions.tsx";
import { useWriter } from "./writer.tsx";
import { writingOf } from "./writing.ts";

const Place = ({ folderId }: { folderId: string | null }) => {
  const { data: folders = [] } = useFolders();
  return (
    <nav className={styles.place} aria-label="Where it is">
      <Link href="/documents">Documents</Link>
      {pathOf(folders, folderId).map(({ id, name }) => (
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
      Changed <Moment at={changedAt(document)} />
      {writer && !isFiled(document) && `, by ${writer}`}
    </p>
  );
};

type DraftProps = { draft: Draft; onKeep: () => void; onDiscard: () => void };

/** A notice that asks for a decision stands above the text; one that only says that it waits stands where it moves nothing. */
const Unsaved = ({ draft, onKeep, onDiscard }: DraftProps) => (
  <div
    className={draft.refused ? styles.notice : `${styles.notice} ${styles.waits}`}
    role="status"
    data-at-end={draft.refused ? undefined : "question"}
  >
    <p>
      You have unsaved changes from <TimeOfDay at={draft.at} />
      {draft.refused
        ? `, and they are not shown here. ${draft.refused}.`
        : ", shown here and sent as soon as the service answers."}
    </p>
    <Button onPress={onDiscard}>Discard</Button>
    <Button kind="primary" onPress={onKeep}>
      Keep writing
    </Button>
  </div>
);

/** Which of its three views an address names. */
export const viewOf = (search: string) => {
  const parameters = new URLSearchParams(search);
  if (parameters.has("edit")) return "edit";
  return parameters.has("versions") ? "versions" : "read";
};

type Steps = Record<"edit" | "versions" | "changes" | "move" | "pin" | "trash" | "duplicate", () => void>;

/** What has a place of its own on the page. */
const onPage = (steps: Pick<Steps, "edit">, ways: Record<"rename" | "tag", () => void>): Action[] => [
  { name: "Edit", icon: Pencil, shortcut: "e", run: steps.edit },
  { name: "Rename", icon: TextCursor, run: ways.rename },
  { name: "Add a tag", icon: Tag, shortcut: "t", run: ways.tag },
];

/** What is in the menu of the page. */
const inMenu = (document: Document, steps: Steps, others: Record<"copy" | "keep", Action[]>): Action[] => [
  { name: "Move to…", icon: FolderInput, shortcut: "m", run: steps.move },
  { name: pinOf(document) ? "Unpin" : "Pin to the top", icon: Pin, shortcut: "p", run: steps.pin },
  { name: "Duplicate", icon: CopyPlus, run: steps.duplicate },
  ...others.copy,
  { name: "Versions", icon: History, shortcut: "v", run: steps.versions },
  { name: "Changes", icon: Activity, run: steps.changes },
  { name: "Download", icon: Download, run: () => download(document) },
  { name: "Print", icon: Printer, run: () => print() },
  ...others.keep,
  { name: "Move to trash", icon: Trash2, shortcut: "#", isDangerous: true, run: steps.trash },
];

const startOf = (document: Document, draft: Kept | undefined): Start => {
  const plain = startWith(draft?.base ?? document);
  if (!draft) return plain;
  const { title, text, at, sent, theirs, place } = draft;
  return { ...plain, title, text, keptAt: at, sent, theirs, writer: place.writer };
};

type Props = { document: Document; owner: string };

function useSteps(document: Document, setMoving: (moving: boolean) => void): Steps & { read: () => void } {
  const [path, navigate] = useLocation();
  return {
    edit: () => navigate(`${path}?edit`, { replace: true }),
    versions: () => navigate(`${path}?versions`),
    changes: () => navigate(`/activity?kind=document&record=${document.id}`),
    read: () => navigate(path, { replace: true }),
    move: () => setMoving(true),
    pin: () => void togglePin(document),
    duplicate: () => void duplicate(document, ({ id }) => navigate(`/documents/${id}?edit`)),
    trash: () => {
      navigate("/documents");
      void trashDocuments([document]);
    },
  };
}

/** Goes on where the editor was left, once the text is shown. Returns the button that leads back into it. */
function useLeft(id: string, article: RefObject<HTMLElement | null>, isShown: boolean) {
  const edit = useRef<HTMLButtonElement>(null);
  const [left] = useState(() => takeLeft(id));
  useLayoutEffect(() => {
    if (left) edit.current?.focus({ preventScroll: true });
  }, [left]);
  useLayoutEffect(() => {
    if (isShown && left?.seen) showSeen(article.current, left.seen);
  }, [article, isShown, left]);
  return edit;
}

function ReadView({ document: known, owner }: Props) {
  const { draft } = useDocumentDraft(owner, known.id);
  const document = useShown(known, draft);
  const [isMoving, setMoving] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const [isShown, setShown] = useState(false);
  const steps = useSteps(document, setMoving);
  const keeping = useKeeping(copied.document(document.id), document);
  const article = useRef<HTMLElement>(null);
  const edit = useLeft(known.id, article, isShown);
  const title = useRef<HTMLButtonElement>(null);
  const aside = useRef<HTMLElement>(null);
  const addTag = () => aside.current?.querySelector<HTMLElement>("input[role=combobox]")?.focus();
  const ways = { rename: () => title.current?.click(), tag: addTag };
  const add = { name: "Add a property", icon: ListPlus, run: () => setAdding(true) };
  const canHave = writingOf(document.content).kind !== "json";
  const keep = [...(canHave ? [add] : []), keeping];
  const menu = inMenu(document, steps, { copy: copyActions(document, article), keep });
  useScreenActions("This document", [...onPage(steps, ways), ...menu]);
  const write = (place?: number) => {
    beginAt(document.id, place, seenIn(article.current, place));
    steps.edit();
  };
  useShortcuts({
    e: () => write(),
    v: steps.versions,
    m: steps.move,
    p: steps.pin,
    t: addTag,
    y: () => copyLink(document.id),
    "#": steps.trash,
  });
  const unsaved = draft && (
    <Unsaved draft={draft} onKeep={() => write()} onDiscard={() => void discardText(draft)} />
  );
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <Place folderId={document.folder_id} />
        <div className={styles.actions}>
          <span className={styles.edit}>
            <Button ref={edit} onPress={() => write()}>
              <Pencil aria-hidden="true" size="1rem" /> <span>Edit</span> <Key>e</Key>
            </Button>
          </span>
          <ActionMenu label="More" actions={menu} />
        </div>
        <Title ref={title} title={document.title} onRename={(title) => renameDocument(document, title)} />
        <Changed document={document} />
      </header>
      {draft?.refused && unsaved}
      <div className={styles.columns}>
        <div className={styles.main}>
          <Reading
            known={known}
            document={document}
            article={article}
            adding={{ isAdding, setAdding }}
            onEdit={write}
            onShown={() => setShown(true)}
          />
          {isShown && <FilesOf to={{ document: document.id }} text={writingOf(document.content).text} />}
        </div>
        <aside ref={aside} className={styles.aside} aria-label="About this document">
          <Outline article={article} />
          <Side document={document} isMoving={isMoving} setMoving={setMoving} onVersions={steps.versions} />
        </aside>
      </div>
      {!draft?.refused && unsaved}
    </div>
  );
}

function EditingView({ document, owner }: Props) {
  const [, navigate] = useLocation();
  const { read } = useSteps(document, () => {});
  const { isRead, draft } = useDocumentDraft(owner, document.id);
  const [first] = useState(document);
  if (!isRead) return null;
  return (
    <div className={styles.page}>
      <EditView
        owner={owner}
        start={startOf(first, draft)}
        latest={document}
        onCreate={({ id }) => navigate(`/documents/${id}?edit`, { replace: true })}
        onLeave={read}
      />
    </div>
  );
}

function Compared({ document }: Props) {
  const { read } = useSteps(document, () => {});
  const [isRestored, setRestored] = useState(false);
  useShortcuts({ Escape: read });
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <Place folderId={document.folder_id} />
        <h1>Versions of {titleText(document.title)}</h1>
      </header>
      <VersionsView
        key={document.version}
        {...{ document, isRestored }}
        onRestore={() => setRestored(true)}
        onLeave={read}
      />
    </div>
  );
}

const VIEWS = { read: ReadView, edit: EditingView, versions: Compared };

/** A document that is there, in the view that the address names. */
export function Opened({ document: shown, owner }: Props) {
  const View = VIEWS[viewOf(useSearch())];
  useEffect(() => {
    document.title = `${titleText(shown.title)} – Commonplace`;
  }, [shown.title]);
  return <View document={shown} owner={owner} />;
}
