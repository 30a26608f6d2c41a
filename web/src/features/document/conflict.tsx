import { lazy, Suspense, useState } from "react";
import { type Document, documentsApi } from "../../api/documents.ts";
import { Button } from "../../kit/button.tsx";
import { capitalized } from "../../kit/capitalized.ts";
import { Actions } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { toast } from "../../state/toasts.ts";
import styles from "./document.module.css";
import type { Editing, Start } from "./use-editing.ts";
import { useWriter } from "./writer.tsx";
import { writingOf } from "./writing.ts";

const Merge = lazy(() => import("./compare.tsx").then(({ Merge }) => ({ default: Merge })));

type Props = {
  start: Start;
  theirs: Document;
  editing: Editing;
  /** Gets the document once one text has been chosen. */
  onDone: (document: Document) => void;
};

const Said = ({ theirs }: { theirs: Document }) => (
  <p>
    {capitalized(useWriter(theirs) ?? "somebody")} changed it <Moment at={theirs.updated_at} />, while you
    were writing. Both texts are kept: whichever you choose, the other one stays among the versions.
  </p>
);

/** Two texts of one document, of which one has to become the document. */
export function ConflictView({ start, theirs, editing, onDone }: Props) {
  const { edited } = editing;
  const [mine] = useState(edited.current.text);
  const [title, setTitle] = useState(edited.current.title);
  const saveMine = async () => {
    const saved = await editing.save({ over: theirs });
    if (saved) onDone(saved);
    return saved;
  };
  const takeMine = () => {
    Object.assign(edited.current, { text: mine, title });
    return saveMine();
  };
  const takeTheirs = async () => {
    Object.assign(edited.current, { text: mine, title });
    const kept = await editing.save({ over: theirs });
    if (!kept) return;
    const restored = await documentsApi.restoreVersion(theirs.id, theirs.version, { version: kept.version });
    toast({ text: `Theirs is the document now. Yours is version ${kept.version}.` });
    onDone(restored);
  };
  const busy = editing.status === "saving";
  return (
    <section className={styles.conflict} aria-label="Two texts">
      <h1 className="visually-hidden">Two texts of {titleText(theirs.title)}</h1>
      <div className={styles.notice} role="alert">
        <strong>This document has been changed elsewhere</strong>
        <Said theirs={theirs} />
      </div>
      {editing.problem && <Problem problem={editing.problem} />}
      {title !== theirs.title && (
        <TextField
          label="Title"
          hint={`Theirs: ${theirs.title}`}
          value={title}
          onChange={(typed) => {
            setTitle(typed);
            editing.change({ title: typed });
          }}
        />
      )}
      <div className={styles.sides} aria-hidden="true">
        <span>Theirs, version {theirs.version}</span>
        <span>Mine: edit it, or take passages with →</span>
      </div>
      <Suspense fallback={<Loading />}>
        <Merge
          kind={start.kind}
          mine={mine}
          theirs={writingOf(theirs.content).text}
          onChange={(text) => editing.change({ text })}
        />
      </Suspense>
      <Actions>
        <Button isDisabled={busy} onPress={takeTheirs}>
          Take theirs
        </Button>
        <Button isDisabled={busy} onPress={takeMine}>
          Take mine as it was
        </Button>
        <Button kind="primary" isDisabled={busy} onPress={saveMine}>
          Save the merged text
        </Button>
      </Actions>
    </section>
  );
}
