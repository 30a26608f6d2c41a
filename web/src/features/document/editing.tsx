import { lazy, Suspense, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { isApiError, isPassing } from "../../api/request.ts";
import { Button } from "../../kit/button.tsx";
import { keyName } from "../../kit/key-name.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Problem } from "../../kit/states.tsx";
import { titleText } from "../../kit/title-text.ts";
import { useAgain } from "../../state/again.ts";
import { NearLimit } from "../usage/near-limit.tsx";
import { ConflictView } from "./conflict.tsx";
import { showWritten } from "./data.ts";
import styles from "./document.module.css";
import { type Beginning, type Handle, StandIn } from "./stand-in.tsx";
import { TimeOfDay } from "./time-of-day.tsx";
import { TitleField } from "./title-field.tsx";
import { type Editing, type Start, type Status, startWith, useEditing } from "./use-editing.ts";
import { useWriter } from "./writer.tsx";

const Editor = lazy(() => import("./editor.tsx"));

const STATUS: Record<Status, string> = {
  saved: "Saved",
  unsaved: "Not saved yet; kept in this browser",
  saving: "Saving…",
};

type Props = {
  owner: string;
  start: Start;
  latest: Document | undefined;
  /** Gets the document that a new text has become. */
  onCreate?: (document: Document, then: "write" | "read") => void;
  onLeave: () => void;
};

const Restored = ({ at, onDiscard }: { at: string; onDiscard: () => void }) => (
  <div className={styles.notice} role="status">
    <p>
      These are your unsaved changes from <TimeOfDay at={at} />.
    </p>
    <Button onPress={onDiscard}>Discard them</Button>
  </div>
);

const Newer = ({ latest, onShow }: { latest: Document; onShow: () => void }) => {
  const writer = useWriter(latest);
  return (
    <div className={styles.notice} role="status">
      <p>There is a newer version{writer && `, by ${writer}`}. What you have written here is not lost.</p>
      <Button onPress={onShow}>Show both</Button>
    </div>
  );
};

/** The way on for the text of a document that is gone. */
const SaveAsNew = ({ onSave }: { onSave: () => void }) => (
  <div>
    <Button kind="primary" onPress={onSave}>
      Save it as a new document
    </Button>
  </div>
);

/** What has become of the text. Of a new one nothing has, until something is written. */
function statusOf({ status, isKept, base }: Editing): string {
  if (status === "unsaved" && !isKept) return "Not saved, and this browser keeps nothing";
  return status === "saved" && !base ? "New document" : STATUS[status];
}

type BarProps = { editing: Editing; onSave: () => void; onDone: () => void };

const Bar = ({ editing, onSave, onDone }: BarProps) => (
  <div className={styles.bar}>
    <span role="status" className={styles.status}>
      {statusOf(editing)}
    </span>
    <Button onPress={onSave} isDisabled={editing.status !== "unsaved"}>
      Save <kbd>{keyName("mod+s")}</kbd>
    </Button>
    <Button kind="primary" onPress={onDone} isDisabled={editing.status === "saving"}>
      Done
    </Button>
  </div>
);

/** The steps that lead out of editing, or on in it. */
function stepsOf(editing: Editing, { latest, onCreate, onLeave }: Props) {
  const save = async () => {
    const saved = await editing.save();
    if (saved && !latest) onCreate?.(saved, "write");
  };
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
    done: async () => {
      if (editing.status === "saved") return onLeave();
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
    setWay: (handle: Handle) => {
      way.current = handle;
    },
  };
}

const OF_A_CHANGE = ["bytes"] as const;
const OF_A_NEW_ONE = ["documents", "bytes"] as const;

/** A document that is being written. */
function Writing(props: Props & { onRestart: (start: Start) => void }) {
  const { owner, start, latest, onRestart, onLeave } = props;
  const editing = useEditing(owner, start, latest);
  const { save, saveAsNew, leave, done } = stepsOf(editing, props);
  const text = useText(start);
  useShortcuts({ "mod+s": save });
  const again = isPassing(editing.problem) && editing.status === "unsaved" ? save : undefined;
  useAgain(again);
  const discard = async () => {
    await editing.discard();
    if (latest) onRestart(startWith(latest));
    else onLeave();
  };
  if (editing.conflict) {
    const onDone = (document: Document) => {
      showWritten(document);
      onRestart(startWith(document));
    };
    return <ConflictView start={start} theirs={editing.conflict} editing={editing} onDone={onDone} />;
  }
  const field = {
    beginning: text.beginning,
    onReady: text.setWay,
    onChange: (written: string) => editing.change({ text: written }),
    onLeave: leave,
  };
  return (
    <section className={styles.writing} aria-label="Edit">
      <h1 className="visually-hidden">
        {editing.base ? `Edit ${titleText(editing.base.title)}` : "New document"}
      </h1>
      <Bar editing={editing} onSave={save} onDone={done} />
      {editing.newer && <Newer latest={editing.newer} onShow={() => editing.showConflict(editing.newer)} />}
      {start.keptAt && editing.status === "unsaved" && <Restored at={start.keptAt} onDiscard={discard} />}
      {!editing.problem && <NearLimit of={editing.base ? OF_A_CHANGE : OF_A_NEW_ONE} />}
      {editing.problem && <Problem problem={editing.problem} retry={again} />}
      {isApiError(editing.problem, 404) && <SaveAsNew onSave={saveAsNew} />}
      <TitleField
        title={start.title}
        autoFocus={!start.base && !start.title}
        onChange={(title) => editing.change({ title })}
        onText={text.enter}
        onLeave={leave}
      />
      <Suspense fallback={<StandIn {...field} />}>
        <Editor kind={start.kind} {...field} onSave={save} />
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
