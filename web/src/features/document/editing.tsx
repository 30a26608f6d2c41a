import { lazy, Suspense, useState } from "react";
import type { Document } from "../../api.ts";
import { Button } from "../../kit/button.tsx";
import { keyName } from "../../kit/key-name.ts";
import { NearLimit } from "../usage/near-limit.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Loading, Problem } from "../../kit/states.tsx";
import { isApiError } from "../../api/request.ts";
import { ConflictView } from "./conflict.tsx";
import { showWritten } from "./data.ts";
import styles from "./document.module.css";
import { TimeOfDay } from "./time-of-day.tsx";
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

type TitleProps = { title: string; isNew: boolean; onChange: (title: string) => void; onLeave: () => void };

function Title({ title: first, isNew, onChange, onLeave }: TitleProps) {
  const [title, setTitle] = useState(first);
  return (
    <textarea
      className={styles.titleField}
      aria-label="Title"
      rows={1}
      maxLength={500}
      // biome-ignore lint/a11y/noAutofocus: a new document begins with its title
      autoFocus={isNew && !first}
      placeholder="Title"
      value={title}
      onChange={({ target }) => {
        const typed = target.value.replaceAll("\n", " ");
        setTitle(typed);
        onChange(typed);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onLeave();
        if (event.key === "Enter") event.preventDefault();
      }}
    />
  );
}

type BarProps = { status: Status; isKept: boolean; onSave: () => void; onDone: () => void };

const Bar = ({ status, isKept, onSave, onDone }: BarProps) => (
  <div className={styles.bar}>
    <span role="status" className={styles.status}>
      {status === "unsaved" && !isKept ? "Not saved, and this browser keeps nothing" : STATUS[status]}
    </span>
    <Button onPress={onSave} isDisabled={status !== "unsaved"}>
      Save <kbd>{keyName("mod+s")}</kbd>
    </Button>
    <Button kind="primary" onPress={onDone} isDisabled={status === "saving"}>
      Done
    </Button>
  </div>
);

/** The steps that lead out of editing, or on in it. */
function stepsOf(editing: Editing, { onCreate, onLeave }: Props) {
  const save = async () => {
    const saved = await editing.save();
    if (saved && !editing.base) onCreate?.(saved, "write");
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
      if (saved && !editing.base) onCreate?.(saved, "read");
      else if (saved) onLeave();
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
  useShortcuts({ "mod+s": save });
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
  return (
    <section className={styles.writing} aria-label="Edit">
      <h1 className="visually-hidden">{start.base ? `Edit ${start.base.title}` : "New document"}</h1>
      <Bar status={editing.status} isKept={editing.isKept} onSave={save} onDone={done} />
      {editing.newer && <Newer latest={editing.newer} onShow={() => editing.showConflict(editing.newer)} />}
      {start.keptAt && editing.status === "unsaved" && <Restored at={start.keptAt} onDiscard={discard} />}
      {!editing.problem && <NearLimit of={start.base ? OF_A_CHANGE : OF_A_NEW_ONE} />}
      {editing.problem && <Problem problem={editing.problem} />}
      {isApiError(editing.problem, 404) && <SaveAsNew onSave={saveAsNew} />}
      <Title
        title={start.title}
        isNew={!start.base}
        onChange={(title) => editing.change({ title })}
        onLeave={leave}
      />
      <Suspense fallback={<Loading />}>
        <Editor
          kind={start.kind}
          text={start.text}
          autoFocus={start.base !== undefined || start.title !== ""}
          onChange={(text) => editing.change({ text })}
          onSave={save}
          onLeave={leave}
        />
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
