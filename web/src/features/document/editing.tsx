import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { isApiError, isPassing } from "../../api/request.ts";
import { Button } from "../../kit/button.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Problem } from "../../kit/states.tsx";
import { titleText } from "../../kit/title-text.ts";
import { useAgain } from "../../state/again.ts";
import type { Theirs } from "../../state/document-drafts.ts";
import { refreshDocuments } from "../../state/queries.ts";
import { AddFiles } from "../files/add-button.tsx";
import { NearLimit } from "../usage/near-limit.tsx";
import { useAddingFiles } from "./adding-files.ts";
import { endWriting, keepWriting, leaveAt } from "./begin-at.ts";
import { ConflictView } from "./conflict.tsx";
import { showWritten } from "./data.ts";
import styles from "./document.module.css";
import type { Held } from "./edited.ts";
import type { Linking } from "./editor/commit-task.ts";
import type { Text } from "./merging.ts";
import { type Handle, StandIn } from "./stand-in.tsx";
import { type Start, startWith } from "./start.ts";
import { TitleField } from "./title-field.tsx";
import { type Editing, useEditing } from "./use-editing.ts";
import { useText, useTypedAhead } from "./use-text.ts";
import { useOtherWriter } from "./writer.tsx";

const Editor = lazy(() => import("./editor.tsx"));
/** Without it nothing is said. */
const SecretNotice = lazy(() => import("./secret-notice.tsx").catch(() => ({ default: () => <></> })));
const SecretIn = ({ document }: { document: Document | undefined }) => (
  <Suspense>{document && <SecretNotice document={document} />}</Suspense>
);
const Describe = lazy(() => import("./describe.tsx"));

type Props = {
  owner: string;
  start: Start;
  latest: Document | undefined;
  /** Gets the document that a new text has become. */
  onCreate?: (document: Document, then: "write" | "read") => void;
  onLeave: () => void;
};

/** Stands where it moves nothing of what is being written. */
const SamePassage = ({ other, onShow }: { other: Theirs; onShow: () => void }) => (
  <div className={`${styles.notice} ${styles.waits}`} role="status" data-at-end="question">
    <p>
      {useOtherWriter(other)} changed the same passage. What you write is kept here until you have compared
      the two.
    </p>
    <Button onPress={onShow}>Compare</Button>
  </div>
);

/** The way on for the text of a document that is gone. */
const SaveAsNew = ({ onSave }: { onSave: () => void }) => (
  <Button kind="primary" onPress={onSave}>
    Make a new document of it
  </Button>
);

/** What has become of the text. Of a new one nothing has, until something is written. */
function statusOf({ status, isKept, base, problem, other }: Editing): string {
  if (status === "saved") return base ? "Saved" : "New document";
  if (other) return "Kept here";
  if (isPassing(problem)) {
    const why = problem.code === "disk_full" ? "The disk of the service is full" : "Offline";
    return isKept ? `${why}, kept here` : `${why}, and this browser keeps nothing`;
  }
  return problem ? "Not saved" : "Saving…";
}

/** What the line above does not say: without an answer a text that is kept here is as good as saved. */
const toTell = ({ problem, isKept }: Editing) => (isKept && isPassing(problem) ? undefined : problem);

type BarProps = {
  editing: Editing;
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
    <AddFiles onAdd={onAdd} />
    {isGiven && <Button onPress={onSave}>Save</Button>}
    <Button kind="primary" onPress={onDone}>
      Done
    </Button>
  </div>
);

/** The steps that lead out of editing, or on in it. */
function stepsOf(editing: Editing, { latest, onCreate, onLeave }: Props) {
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
      // Its page says that the document is gone.
      if (isApiError(editing.problem, 404)) void refreshDocuments();
      onLeave();
    },
    /** Makes a commitment of a task of the text, which has to be a document for that. */
    commit: async (words: string, today: string, linking: Linking) => {
      const document = editing.base ?? (await editing.save());
      if (!document) return;
      const { commitWords } = await import("./commitments/commit.ts");
      await commitWords(document.id, words, today, linking);
    },
    done: async () => {
      // Without an answer it is kept, and sent later.
      const isKept = editing.status === "unsaved" && isPassing(editing.problem);
      if (editing.status === "saved" || isKept) return onLeave();
      const saved = await editing.save();
      if (saved && !latest) onCreate?.(saved, "read");
      else if (saved) onLeave();
    },
  };
}

/** Whoever reloads the page goes on where they were; a page that is hidden may be loaded again without another word. */
function useGoingOn({ base, writer, conflict }: Editing, way: RefObject<Handle | null>): void {
  const id = conflict ? undefined : (base?.id ?? writer);
  useEffect(() => {
    if (!id) return;
    const ended = new AbortController();
    const leave = () =>
      way.current && keepWriting(id, { place: way.current.cursor(), seen: way.current.seen() });
    for (const sign of ["pagehide", "visibilitychange"])
      addEventListener(sign, leave, { signal: ended.signal });
    return () => {
      ended.abort();
      endWriting();
    };
  }, [id, way]);
}

const OF_A_CHANGE = ["bytes"] as const;
const OF_A_NEW_ONE = ["documents", "bytes"] as const;

/** Tells once that a new text has become a document. */
function useCreated(base: Document | undefined, { latest, start, onCreate }: Props): void {
  const tell = useRef(() => {});
  tell.current = () => base && !latest && onCreate?.(base, "write");
  const id = start.base ? undefined : base?.id;
  useEffect(() => {
    if (id) tell.current();
  }, [id]);
}

type PicturesProps = { files: ReturnType<typeof useAddingFiles>; way: RefObject<Handle | null> };

/** Asks what the pictures show that have just been added; after that one writes on. */
function Pictures({ files: { asked, answered, skip }, way }: PicturesProps) {
  if (asked.length === 0) return null;
  const goOn = () => way.current?.focus();
  return (
    <Suspense>
      <Describe
        asked={asked}
        edit={(changesOf) => way.current?.edit(changesOf)}
        onAnswer={(one) => {
          answered(one);
          if (asked.length === 1) goOn();
        }}
        onSkip={() => {
          skip();
          goOn();
        }}
      />
    </Suspense>
  );
}

/** A document that is being written. */
function Writing(props: Props & { onRestart: (start: Start) => void }) {
  const { owner, start, latest, onRestart } = props;
  const text = useText(start);
  const editing = useEditing(owner, start, { latest, show: text.show });
  const onLeave = () => {
    if (editing.base) leaveAt(editing.base.id, text.seen());
    props.onLeave();
  };
  const { save, saveAsNew, leave, done, commit } = stepsOf(editing, { ...props, onLeave });
  useCreated(editing.base, props);
  useGoingOn(editing, text.way);
  useTypedAhead(start, editing, text);
  const files = useAddingFiles(start, editing, text.way);
  const choose = async (isCamera = false) => {
    const { pickFiles } = await import("../files/pick.ts");
    files.add(await pickFiles({ isCamera }));
    // Where one writes on, below what was chosen.
    text.way.current?.focus();
  };
  useShortcuts({ "mod+s": save });
  const problem = toTell(editing);
  const again = isPassing(editing.problem) && editing.status === "unsaved" ? save : undefined;
  useAgain(again);
  if (editing.conflict) {
    const onDone = (document: Document) => {
      showWritten(document);
      onRestart(startWith(document));
    };
    const onBack = (mine: Text) => {
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
  // What another address has given is nobody's yet.
  const isGiven = editing.status === "unsaved" && !editing.edited.current.isDirty;
  const field = {
    beginning: text.beginning,
    onReady: text.setWay,
    onChange: (written: Held) => editing.change({ text: written }),
    onLeave: leave,
    onFiles: files.add,
  };
  return (
    <section className={styles.writing} aria-label="Edit" data-writing>
      <h1 className="visually-hidden">
        {editing.base ? `Edit ${titleText(editing.base.title)}` : "New document"}
      </h1>
      <Bar editing={editing} isGiven={isGiven} onAdd={choose} onSave={save} onDone={done} />
      {!editing.problem && <NearLimit of={editing.base ? OF_A_CHANGE : OF_A_NEW_ONE} />}
      {problem && (
        <Problem problem={problem} retry={again}>
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
      <Suspense fallback={<StandIn isMarkdown={start.kind === "markdown"} {...field} />}>
        <Editor kind={start.kind} {...field} onAdd={choose} onSave={save} onCommit={commit} />
      </Suspense>
      <Pictures files={files} way={text.way} />
      {editing.other && files.asked.length === 0 && (
        <SamePassage other={editing.other} onShow={editing.showBoth} />
      )}
    </section>
  );
}

/** Editing begins anew when another text takes the place of the one that is edited. */
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
