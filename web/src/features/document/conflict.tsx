import { type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { retryUntilAnswered } from "../../api/retry.ts";
import { Button } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { toast } from "../../state/toasts.ts";
import { updateFromBase } from "./data.ts";
import styles from "./document.module.css";
import type { DocumentEditor, EditorState } from "./document-editor.ts";
import { conflictingVersion, type MergeConflict, type TitledText } from "./merging.ts";
import { useTextVersion } from "./writer.tsx";
import { type Kind, withSourceText } from "./writing.ts";

const Merge = lazy(() => import("./compare.tsx").then((module) => ({ default: module.MergeEditor })));

type Props = {
  kind: Kind;
  overlapping: MergeConflict;
  editor: DocumentEditor;
  state: EditorState;
  onDone: (document: Document) => void;
  /** Called with the edited text to return to the editor without a decision. */
  onBack: (mine: TitledText) => void;
};

const ChangedBy = ({ at, origin }: { at: string; origin: string | undefined }) => (
  <p>
    Changed{origin} <Moment at={at} />, while you were editing. Changes that don’t conflict are already in
    both versions. Whichever you choose, the other stays in the version history.
  </p>
);

/** Compares two versions of a document in which the same passage was changed. Everything else is already merged. */
export function ConflictView({ kind, overlapping, editor, state, onDone, onBack }: Props) {
  const { theirs, mine, other, both } = overlapping;
  const by = conflictingVersion(theirs, state);
  const version = useTextVersion(by);
  const [title, setTitle] = useState(mine.title);
  const [text, setText] = useState(mine.text);
  const saveAs = async (chosen: TitledText) => {
    const saved = await editor.decide(theirs, chosen);
    if (saved) onDone(saved);
  };
  const takeTheirs = async () => {
    const savedMine = await editor.decide(theirs, mine);
    if (!savedMine) return;
    const content = withSourceText(theirs.content, { kind, text: other.text });
    const savedTheirs = await retryUntilAnswered(() =>
      updateFromBase(savedMine, { title: other.title, content }),
    ).catch((problem: Error) => toast({ kind: "refused", text: problem.message }));
    if (savedTheirs) toast({ text: `Using their version. Yours is saved as version ${savedMine.version}.` });
    onDone(savedTheirs ?? savedMine);
  };
  const busy = state.status === "saving";
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  const keepEditing = () => onBack({ title, text });
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.stopPropagation();
    keepEditing();
  };
  const isMerged = text !== mine.text || title !== mine.title;
  return (
    <section
      ref={section}
      className={styles.conflict}
      aria-label="Compare versions"
      tabIndex={-1}
      onKeyDown={leave}
    >
      <h1 className="visually-hidden">Two versions of {titleText(theirs.title)}</h1>
      <div className={styles.notice} role="alert">
        <strong>The same passage was changed twice</strong>
        <ChangedBy at={by.updated_at} origin={version?.origin} />
      </div>
      {state.problem && <Problem problem={state.problem} />}
      {mine.title !== other.title && (
        <TextField label="Title" hint={`Theirs: ${other.title}`} value={title} onChange={setTitle} />
      )}
      <div className={styles.sides} aria-hidden="true">
        <span>Theirs{version && `, version ${version.number}`}</span>
        <span>
          Mine<span> – edit it, or use → to take a passage from theirs</span>
        </span>
      </div>
      <Suspense fallback={<Loading />}>
        <Merge kind={kind} mine={mine.text} theirs={other.text} onChange={setText} />
      </Suspense>
      <Actions>
        <Button isDisabled={busy} onPress={keepEditing}>
          Keep editing
        </Button>
        <Button isDisabled={busy} onPress={takeTheirs}>
          Use theirs
        </Button>
        {kind !== "json" && (
          <Button isDisabled={busy} onPress={() => saveAs({ title, text: both })}>
            Keep both
          </Button>
        )}
        <Button kind="primary" isDisabled={busy} onPress={() => saveAs({ title, text })}>
          {isMerged ? "Save merged text" : "Keep mine"}
        </Button>
      </Actions>
    </section>
  );
}
