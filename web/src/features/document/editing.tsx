import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { isApiError, isTransientError } from "../../api/request.ts";
import { Button } from "../../kit/button.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Problem } from "../../kit/states.tsx";
import { titleText } from "../../kit/text.ts";
import type { ConflictingVersion } from "../../state/document-drafts.ts";
import { refreshDocuments } from "../../state/queries.ts";
import { useOnReconnect } from "../../state/retry-loop.ts";
import { EditorFileButtons } from "../files/add-button.tsx";
import { NearLimit } from "../usage/near-limit.tsx";
import { ConflictView } from "./conflict.tsx";
import { publishDocument } from "./data.ts";
import styles from "./document.module.css";
import type { EditorText } from "./edit-buffer.ts";
import type { TaskLinker } from "./editor/commit-task.ts";
import type { TitledText } from "./merging.ts";
import { PlainEditor, type TextHandle } from "./plain-editor.tsx";
import { clearResumePoint, saveResumePoint, setReadPosition } from "./resume-point.ts";
import { type EditStart, editStartOf } from "./start.ts";
import { TitleField } from "./title-field.tsx";
import { useAddFiles } from "./use-add-files.ts";
import { type EditingState, useEditing } from "./use-editing.ts";
import { useTextHandle, useTypedAhead } from "./use-text.ts";
import { useConflictOrigin } from "./writer.tsx";

const Editor = lazy(() => import("./editor.tsx"));
/** If it cannot be loaded, no notice is shown. */
const SecretNotice = lazy(() => import("./secret-notice.tsx").catch(() => ({ default: () => <></> })));
const SecretIn = ({ document }: { document: Document | undefined }) => (
  <Suspense>{document && <SecretNotice document={document} />}</Suspense>
);
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
    <p>This passage was also changed {useConflictOrigin(other)}. Your version is safe – compare the two.</p>
    <Button onPress={onShow}>Compare</Button>
  </div>
);

/** For the text of a document that was deleted. */
const SaveAsNew = ({ onSave }: { onSave: () => void }) => (
  <Button kind="primary" onPress={onSave}>
    Save as a new document
  </Button>
);

/** A new document has no save status until something is written. */
function statusOf({ status, isKept, base, problem, other }: EditingState): string {
  if (status === "saved") return base ? "Saved" : "New document";
  if (other) return "Not merged yet";
  if (isTransientError(problem)) {
    const why = problem.code === "disk_full" ? "Server disk full" : "Offline";
    return isKept ? `${why} – saved on this device` : `${why} – not saved on this device`;
  }
  return problem ? "Not saved" : "Saving…";
}

/** The error to show below the status line, which already covers a text that is kept here until the service answers. */
const visibleProblem = ({ problem, isKept }: EditingState) =>
  isKept && isTransientError(problem) ? undefined : problem;

type BarProps = {
  editing: EditingState;
  isGiven: boolean;
  onAdd: (isCamera?: boolean) => void;
  onSave: () => void;
  onDone: () => void;
};

const Bar = ({ editing, isGiven, onAdd, onSave, onDone }: BarProps) => (
  <div className={styles.bar}>
    <span role="status" className={styles.status}>
      {isGiven ? "Not saved yet" : statusOf(editing)}
    </span>
    <EditorFileButtons onAdd={onAdd} />
    {isGiven && <Button onPress={onSave}>Save</Button>}
    <Button kind="primary" onPress={onDone}>
      Done
    </Button>
  </div>
);

/** The editor's save and close actions. */
function editorActions(editing: EditingState, { latest, onCreate, onLeave }: Props) {
  const save = () => editing.save();
  const saveAsNew = async () => {
    const saved = await editing.save({ over: undefined });
    if (saved) onCreate?.(saved, "write");
  };
  return {
    save,
    saveAsNew,
    leave: async () => {
      await editing.keep();
      // The document's page then shows that it was deleted.
      if (isApiError(editing.problem, 404)) void refreshDocuments();
      onLeave();
    },
    /** Makes a task a commitment. A new text is saved as a document first. */
    commit: async (words: string, today: string, linking: TaskLinker) => {
      const document = editing.base ?? (await editing.save());
      if (!document) return;
      const commitments = await import("./commitments/commit.ts");
      await commitments.makeCommitmentWhileEditing(document.id, words, today, linking);
    },
    done: async () => {
      // Without an answer from the service, the text is kept and sent later.
      const isKept = editing.status === "unsaved" && isTransientError(editing.problem);
      if (editing.status === "saved" || isKept) return onLeave();
      const saved = await editing.save();
      if (saved && !latest) onCreate?.(saved, "read");
      else if (saved) onLeave();
    },
  };
}

/** Remembers cursor and scroll position for a reload. A hidden page may be reloaded by the browser without an event. */
function useResumePoint(
  { base, writer, conflict }: EditingState,
  handle: RefObject<TextHandle | null>,
): void {
  const id = conflict ? undefined : (base?.id ?? writer);
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

/** The editor of a document. */
function Writing(props: Props & { onRestart: (start: EditStart) => void }) {
  const { owner, start, latest, onRestart } = props;
  const text = useTextHandle(start);
  const editing = useEditing(owner, start, { latest, show: text.show });
  const onLeave = () => {
    if (editing.base) setReadPosition(editing.base.id, text.seen());
    props.onLeave();
  };
  const { save, saveAsNew, leave, done, commit } = editorActions(editing, { ...props, onLeave });
  useCreated(editing.base, props);
  useResumePoint(editing, text.handle);
  useTypedAhead(start, editing, text);
  const files = useAddFiles(start, editing, text.handle);
  const choose = async (isCamera = false) => {
    const { pickFiles } = await import("../files/pick.ts");
    files.add(await pickFiles({ isCamera }));
    // The cursor continues below the inserted files.
    text.handle.current?.focus();
  };
  useShortcuts({ "mod+s": save });
  const problem = visibleProblem(editing);
  const retry = isTransientError(editing.problem) && editing.status === "unsaved" ? save : undefined;
  useOnReconnect(retry);
  if (editing.conflict) {
    const onDone = (document: Document) => {
      publishDocument(document);
      onRestart(editStartOf(document));
    };
    const onBack = (mine: TitledText) => {
      if (mine.text !== editing.edited.current.text || mine.title !== editing.title) editing.change(mine);
      text.beginWith(mine.text);
      editing.hideBoth();
    };
    return (
      <ConflictView
        kind={start.kind}
        overlapping={editing.conflict}
        editing={editing}
        onDone={onDone}
        onBack={onBack}
      />
    );
  }
  // A text that came with the URL is not the user's own until it is saved or edited.
  const isGiven = editing.status === "unsaved" && !editing.edited.current.isDirty;
  const field = {
    beginning: text.beginning,
    onReady: text.setHandle,
    onChange: (written: EditorText) => editing.change({ text: written }),
    onLeave: leave,
    onFiles: files.add,
  };
  return (
    <section className={styles.writing} aria-label="Edit" data-writing>
      <h1 className="visually-hidden">
        {editing.base ? `Edit ${titleText(editing.base.title)}` : "New document"}
      </h1>
      <Bar editing={editing} isGiven={isGiven} onAdd={choose} onSave={save} onDone={done} />
      {!editing.problem && <NearLimit of={editing.base ? CHANGE_LIMITS : CREATE_LIMITS} />}
      {problem && (
        <Problem problem={problem} retry={retry}>
          {isApiError(problem, 404) && <SaveAsNew onSave={saveAsNew} />}
        </Problem>
      )}
      <SecretIn document={editing.base} />
      <TitleField
        title={editing.title}
        autoFocus={!start.base && !start.title}
        onChange={(title) => editing.change({ title })}
        onText={text.enter}
        onLeave={leave}
      />
      <Suspense fallback={<PlainEditor isMarkdown={start.kind === "markdown"} {...field} />}>
        <Editor kind={start.kind} {...field} onAdd={choose} onSave={save} onCommit={commit} />
      </Suspense>
      <Pictures files={files} handle={text.handle} />
      {editing.other && files.pictures.length === 0 && (
        <SamePassage other={editing.other} onShow={editing.showBoth} />
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
