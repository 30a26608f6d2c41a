import {
  type ComponentProps,
  lazy,
  type RefObject,
  Suspense,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { Document } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import { isApiError, isTransientError } from "../../api/request.ts";
import { Button } from "../../kit/button.tsx";
import { lazyPart } from "../../kit/lazy-part.ts";
import { useMedia } from "../../kit/media.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Problem } from "../../kit/states.tsx";
import { titleText } from "../../kit/title-text.ts";
import type { ConflictingVersion } from "../../state/document-drafts.ts";
import { refreshDocuments } from "../../state/queries.ts";
import { useOnReconnect } from "../../state/retry-loop.ts";
import { EditorFileButtons } from "../files/attached-files.tsx";
import NearLimit from "../usage/near-limit.tsx";
import { ConflictView } from "./conflict.tsx";
import { publishDocument } from "./data.ts";
import styles from "./document.module.css";
import { DocumentEditor, type EditorState, type EditorText } from "./document-editor.ts";
import type { TaskLinker } from "./editor/commit-task.ts";
import type { EditedText } from "./editor/create-editor.ts";
import { knownLinks } from "./linked/linked-documents.ts";
import type { TitledText } from "./merging.ts";
import { PlainEditor, type TextHandle } from "./plain-editor.tsx";
import { clearResumePoint, saveResumePoint, setReadPosition } from "./resume-point.ts";
import { type EditStart, editStartOf } from "./start.ts";
import { TitleField } from "./title-field.tsx";
import { useAddFiles } from "./use-add-files.ts";
import { useEditorLinks } from "./use-editor-links.ts";
import { useTextHandle, useTypedAhead } from "./use-text.ts";
import { whenStill } from "./when-still.ts";
import { useTextVersion } from "./writer.tsx";

type EditorModule = typeof import("./editor.tsx");
let loaded: EditorModule | undefined;
const loadEditor = async () => {
  loaded = await import("./editor.tsx");
  return loaded;
};
const LazyEditor = lazy(loadEditor);

/** The text editor. A lazy component would show its fallback for a moment, also when it is loaded. */
function Editor(props: ComponentProps<typeof LazyEditor>) {
  const [Loaded] = useState(() => loaded?.default ?? LazyEditor);
  return <Loaded {...props} />;
}

const loadSecretNotice = () => import("./secret-notice.tsx");
const SecretNotice = lazyPart(loadSecretNotice);

/**
 * While a text is read, loads the editor's code and prepares its editor, so that a click in the text opens it at once. Returns
 * a function that takes this back.
 */
export function prepareEditing(
  id: string,
  text: EditedText,
  articleOf: () => HTMLElement | null,
): () => void {
  let discard = () => {};
  let isWanted = true;
  whenStill(() => {
    if (!isWanted) return;
    loadSecretNotice().catch(() => undefined);
    loadEditor().then(
      ({ prepare }) => {
        if (isWanted) discard = prepare(text, knownLinks(id), articleOf);
      },
      () => undefined,
    );
  });
  return () => {
    isWanted = false;
    discard();
  };
}

/** Shows the editor that was prepared, if there is one, within the click that opens it. */
export const showPreparedEditor = (...editor: Parameters<EditorModule["showPrepared"]>) =>
  loaded?.showPrepared(...editor);

const Describe = lazy(() => import("./describe.tsx"));

type Props = {
  owner: string;
  start: EditStart;
  latest: Document | undefined;
  /** Called when a new text has been saved as a document. */
  onCreate?: (document: Document, then: "write" | "read") => void;
  onLeave: () => void;
};

/** Placed below the text, so that it does not shift the text being edited. */
const SamePassage = ({ other, onShow }: { other: ConflictingVersion; onShow: () => void }) => (
  <div className={`${styles.notice} ${styles.waits}`} role="status" data-at-end="question">
    <p>
      This passage was also changed{useTextVersion(other)?.origin}. Your version is safe – compare the two.
    </p>
    <Button onPress={onShow}>Compare</Button>
  </div>
);

/** A new document has no save status until something is written. */
function statusOf({ status, isKept, base, problem, other }: EditorState): string {
  if (status === "saved") return base ? "Saved" : "New document";
  if (other) return "Not merged yet";
  if (isTransientError(problem)) {
    const why = problem.code === "disk_full" ? "Server disk full" : "Offline";
    return isKept ? `${why} – saved on this device` : `${why} – not saved on this device`;
  }
  return problem ? "Not saved" : "Saving…";
}

/** The error to show below the status line, which already covers a text that is kept here until the service answers. */
const visibleProblem = ({ problem, isKept }: EditorState) =>
  isKept && isTransientError(problem) ? undefined : problem;

type BarProps = {
  state: EditorState;
  /** The title of a document that is about to be opened. */
  opening: string | undefined;
  onAdd: (isCamera?: boolean) => void;
  onSave: () => void;
  onDone: () => void;
};

/** A text that came with the URL is not the user’s own until it is saved or edited. */
const isGiven = ({ status, isDirty }: EditorState) => status === "unsaved" && !isDirty;

/** Where the bar has no room for all of its buttons in a line. */
const NARROW = "(max-width: 22rem)";

function Bar({ state, opening, onAdd, onSave, onDone }: BarProps) {
  const isNarrow = useMedia(NARROW);
  const asksToSave = isGiven(state);
  return (
    <div className={styles.bar}>
      <span role="status" className={styles.status}>
        {opening ? `Opening “${opening}”…` : asksToSave ? "Not saved yet" : statusOf(state)}
      </span>
      {!(asksToSave && isNarrow) && <EditorFileButtons onAdd={onAdd} />}
      {asksToSave && <Button onPress={onSave}>Save</Button>}
      <Button kind="primary" onPress={onDone}>
        Done
      </Button>
    </div>
  );
}

/** The props, so that reading begins at the place where one wrote. `seen`: tells that place. */
const keepingPlace = (
  { onCreate, onLeave, ...props }: Props,
  base: Document | undefined,
  seen: TextHandle["scrollPosition"],
): Props => ({
  ...props,
  onCreate: (document, then) => {
    if (then === "read") setReadPosition(document.id, seen());
    onCreate?.(document, then);
  },
  onLeave: () => {
    if (base) setReadPosition(base.id, seen());
    onLeave();
  },
});

function editorActions(editor: DocumentEditor, { latest, onCreate, onLeave }: Props) {
  const save = () => editor.save();
  const saveAsNew = async () => {
    const saved = await editor.save({ over: undefined });
    if (saved) onCreate?.(saved, "write");
  };
  return {
    save,
    saveAsNew,
    leave: async () => {
      await editor.keep();
      // The document's page then shows that it was deleted.
      if (isApiError(editor.getSnapshot().problem, 404)) void refreshDocuments();
      onLeave();
    },
    /** Makes a task a commitment. A new text is saved as a document first. */
    commit: async (words: string, today: string, linking: TaskLinker) => {
      const document = editor.getSnapshot().base ?? (await editor.save());
      if (!document) return;
      const commitments = await import("./commitments/commit.ts");
      await commitments.makeCommitmentWhileEditing(document.id, words, today, linking);
    },
    done: async () => {
      // Without an answer from the service, the text is kept and sent later.
      const { status, problem } = editor.getSnapshot();
      const isKept = status === "unsaved" && isTransientError(problem);
      if (status === "saved" || isKept) return onLeave();
      const saved = await editor.save();
      if (saved && !latest) onCreate?.(saved, "read");
      else if (saved) onLeave();
    },
  };
}

/** Remembers cursor and scroll position for a reload. A hidden page may be reloaded by the browser without an event. */
function useResumePoint(
  editor: DocumentEditor,
  { base, conflict }: EditorState,
  handle: RefObject<TextHandle | null>,
): void {
  const id = conflict ? undefined : (base?.id ?? editor.place.writer);
  useEffect(() => {
    if (!id) return;
    const listeners = new AbortController();
    const remember = () =>
      handle.current &&
      saveResumePoint(id, { place: handle.current.cursor(), seen: handle.current.scrollPosition() });
    for (const event of ["pagehide", "visibilitychange"])
      addEventListener(event, remember, { signal: listeners.signal });
    return () => {
      listeners.abort();
      clearResumePoint();
    };
  }, [id, handle]);
}

const CHANGE_LIMITS = ["bytes"] as const;
const CREATE_LIMITS = ["documents", "bytes"] as const;

/** Calls `onCreate` once a new text has been saved as a document. */
function useCreated(base: Document | undefined, { latest, start, onCreate }: Props): void {
  const notify = useRef(() => {});
  notify.current = () => base && !latest && onCreate?.(base, "write");
  const id = start.base ? undefined : base?.id;
  useEffect(() => {
    if (id) notify.current();
  }, [id]);
}

type PicturesProps = { files: ReturnType<typeof useAddFiles>; handle: RefObject<TextHandle | null> };

/** Asks for descriptions of pictures that were just added, then returns the focus to the text. */
function Pictures({ files: { pictures, markDescribed, skip }, handle }: PicturesProps) {
  if (pictures.length === 0) return null;
  const focusText = () => handle.current?.focus();
  return (
    <Suspense>
      <Describe
        pictures={pictures}
        edit={(changesOf) => handle.current?.edit(changesOf)}
        onAnswer={(one) => {
          markDescribed(one);
          if (pictures.length === 1) focusText();
        }}
        onSkip={() => {
          skip();
          focusText();
        }}
      />
    </Suspense>
  );
}

function useDocumentEditor({ owner, start, latest }: Props, show: (text: string) => void) {
  const [editor] = useState(() => {
    const writer = start.writer || randomId();
    return new DocumentEditor({ owner, id: start.base?.id ?? "new", writer }, start, show);
  });
  const state = useSyncExternalStore(editor.subscribe, editor.getSnapshot);
  useEffect(() => editor.open(), [editor]);
  const { base } = state;
  // The text, tags or folder were changed elsewhere.
  const newer = base && latest && latest.version > base.version ? latest : undefined;
  useEffect(() => {
    if (newer) editor.follow(newer);
  }, [editor, newer]);
  return { editor, state, ...useEditorLinks(editor, start, base?.id) };
}

function Writing(props: Props & { onRestart: (start: EditStart) => void }) {
  const { start, onRestart } = props;
  const text = useTextHandle(start);
  const { editor, state, links, opening } = useDocumentEditor(props, text.show);
  const { save, saveAsNew, leave, done, commit } = editorActions(
    editor,
    keepingPlace(props, state.base, text.seen),
  );
  useCreated(state.base, props);
  useResumePoint(editor, state, text.handle);
  useTypedAhead(start, editor, text, leave);
  const files = useAddFiles(start, editor, text.handle);
  const choose = async (isCamera = false) => {
    const { pickFiles } = await import("../files/pick.ts");
    files.add(await pickFiles({ isCamera }));
    // The cursor continues below the inserted files.
    text.handle.current?.focus();
  };
  useShortcuts({ "mod+s": save });
  const problem = visibleProblem(state);
  const retry = isTransientError(state.problem) && state.status === "unsaved" ? save : undefined;
  useOnReconnect(retry);
  if (state.conflict) {
    const onDone = (document: Document) => {
      publishDocument(document);
      onRestart(editStartOf(document));
    };
    const onBack = (mine: TitledText) => {
      if (mine.text !== editor.text || mine.title !== state.title) editor.edit(mine);
      text.reset();
      editor.endComparison();
    };
    return (
      <ConflictView
        kind={start.kind}
        overlapping={state.conflict}
        editor={editor}
        state={state}
        onDone={onDone}
        onBack={onBack}
      />
    );
  }
  const field = {
    title: state.title,
    text: () => editor.text,
    beginning: text.beginning,
    onReady: text.setHandle,
    onChange: (written: EditorText) => editor.edit({ text: written }),
    onLeave: leave,
    onFiles: files.add,
  };
  return (
    <section className={styles.writing} aria-label="Edit" data-writing>
      <h1 className="visually-hidden">
        {state.base ? `Edit ${titleText(state.base.title)}` : "New document"}
      </h1>
      <Bar state={state} opening={opening} onAdd={choose} onSave={save} onDone={done} />
      {!state.problem && <NearLimit of={state.base ? CHANGE_LIMITS : CREATE_LIMITS} />}
      {problem && (
        <Problem problem={problem} retry={retry}>
          {isApiError(problem, 404) && (
            <Button kind="primary" onPress={saveAsNew}>
              Save as a new document
            </Button>
          )}
        </Problem>
      )}
      <Suspense>{state.base && <SecretNotice document={state.base} />}</Suspense>
      <TitleField
        title={state.title}
        autoFocus={!start.base && !start.title}
        onChange={(title) => editor.edit({ title })}
        onText={text.enter}
        onLeave={leave}
      />
      <Suspense fallback={<PlainEditor isMarkdown={start.kind === "markdown"} {...field} />}>
        <Editor kind={start.kind} {...field} {...links} onAdd={choose} onSave={save} onCommit={commit} />
      </Suspense>
      <Pictures files={files} handle={text.handle} />
      {state.other && state.theirs && files.pictures.length === 0 && (
        <SamePassage other={state.theirs} onShow={editor.compare} />
      )}
    </section>
  );
}

/** Remounts the editor when another text replaces the edited one. */
export function EditView({ start: first, ...props }: Props) {
  const [{ start, round }, setState] = useState({ start: first, round: 0 });
  return (
    <Writing
      key={round}
      {...props}
      start={start}
      onRestart={(next) => setState({ start: next, round: round + 1 })}
    />
  );
}
