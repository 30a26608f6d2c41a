import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { isApiError, isPassing } from "../../api/request.ts";
import { Button } from "../../kit/button.tsx";
import { capitalized } from "../../kit/capitalized.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Problem } from "../../kit/states.tsx";
import { titleText } from "../../kit/title-text.ts";
import { useAgain } from "../../state/again.ts";
import { NearLimit } from "../usage/near-limit.tsx";
import { ConflictView } from "./conflict.tsx";
import { showWritten } from "./data.ts";
import styles from "./document.module.css";
import type { Held } from "./edited.ts";
import type { Linking } from "./editor/commit-task.ts";
import { type Beginning, type Handle, StandIn } from "./stand-in.tsx";
import { type Start, startWith } from "./start.ts";
import { TitleField } from "./title-field.tsx";
import { type Editing, useEditing } from "./use-editing.ts";
import { useWriter } from "./writer.tsx";

const Editor = lazy(() => import("./editor.tsx"));

type Props = {
  owner: string;
  start: Start;
  latest: Document | undefined;
  /** Gets the document that a new text has become. */
  onCreate?: (document: Document, then: "write" | "read") => void;
  onLeave: () => void;
};

const SamePassage = ({ other, onShow }: { other: Document; onShow: () => void }) => (
  <div className={styles.notice} role="status">
    <p>
      {capitalized(useWriter(other) ?? "somebody")} changed the same passage. What you write is kept here
      until you have looked at both.
    </p>
    <Button onPress={onShow}>Look at both</Button>
  </div>
);

/** The way on for the text of a document that is gone. */
const SaveAsNew = ({ onSave }: { onSave: () => void }) => (
  <div>
    <Button kind="primary" onPress={onSave}>
      Save it as a new document
    </Button>
  </div>
);

/** What has become of the text. Of a new one nothing has, until something is written. */
function statusOf({ status, isKept, base, problem, other }: Editing): string {
  if (status === "saved") return base ? "Saved" : "New document";
  if (other) return "Kept here";
  if (isPassing(problem)) return isKept ? "Offline, kept here" : "Offline, and this browser keeps nothing";
  return problem ? "Not saved" : "Saving…";
}

type BarProps = { editing: Editing; isGiven: boolean; onSave: () => void; onDone: () => void };

const Bar = ({ editing, isGiven, onSave, onDone }: BarProps) => (
  <div className={styles.bar}>
    <span role="status" className={styles.status}>
      {isGiven ? "Not saved yet" : statusOf(editing)}
    </span>
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

/** The text, which the editor has or what stands in its place until it is loaded, and the way into it. */
function useText({ base, title, text }: Start) {
  const isAtText = base !== undefined || title !== "";
  const beginning = useRef<Beginning>({ text, cursor: isAtText ? 0 : undefined });
  const way = useRef<Handle>(null);
  return {
    beginning,
    enter: (lines: string) => way.current?.enter(lines),
    show: (written: string) => {
      beginning.current = { ...beginning.current, text: written };
      way.current?.show(written);
    },
    setWay: (handle: Handle) => {
      way.current = handle;
    },
  };
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

/** A document that is being written. */
function Writing(props: Props & { onRestart: (start: Start) => void }) {
  const { owner, start, latest, onRestart } = props;
  const text = useText(start);
  const editing = useEditing(owner, start, { latest, show: text.show });
  const { save, saveAsNew, leave, done, commit } = stepsOf(editing, props);
  useCreated(editing.base, props);
  useShortcuts({ "mod+s": save });
  const again = isPassing(editing.problem) && editing.status === "unsaved" ? save : undefined;
  useAgain(again);
  if (editing.conflict) {
    const onDone = (document: Document) => {
      showWritten(document);
      onRestart(startWith(document));
    };
    return (
      <ConflictView kind={start.kind} overlapping={editing.conflict} editing={editing} onDone={onDone} />
    );
  }
  // What another address has given is nobody's yet.
  const isGiven = editing.status === "unsaved" && !editing.edited.current.isDirty;
  const field = {
    beginning: text.beginning,
    onReady: text.setWay,
    onChange: (written: Held) => editing.change({ text: written }),
    onLeave: leave,
  };
  return (
    <section className={styles.writing} aria-label="Edit">
      <h1 className="visually-hidden">
        {editing.base ? `Edit ${titleText(editing.base.title)}` : "New document"}
      </h1>
      <Bar editing={editing} isGiven={isGiven} onSave={save} onDone={done} />
      {editing.other && <SamePassage other={editing.other} onShow={editing.showBoth} />}
      {!editing.problem && <NearLimit of={editing.base ? OF_A_CHANGE : OF_A_NEW_ONE} />}
      {editing.problem && <Problem problem={editing.problem} retry={again} />}
      {isApiError(editing.problem, 404) && <SaveAsNew onSave={saveAsNew} />}
      <TitleField
        title={editing.title}
        autoFocus={!start.base && !start.title}
        onChange={(title) => editing.change({ title })}
        onText={text.enter}
        onLeave={leave}
      />
      <Suspense fallback={<StandIn {...field} />}>
        <Editor kind={start.kind} {...field} onSave={save} onCommit={commit} />
      </Suspense>
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
