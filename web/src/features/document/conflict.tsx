import { type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { untilAnswered } from "../../api/persist.ts";
import { Button } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import type { Theirs } from "../../state/document-drafts.ts";
import { toast } from "../../state/toasts.ts";
import { writeOver } from "./data.ts";
import styles from "./document.module.css";
import { type Overlapping, type Text, theirsIn } from "./merging.ts";
import type { Editing } from "./use-editing.ts";
import { useOtherWriter } from "./writer.tsx";
import { contentWith, type Kind } from "./writing.ts";

const Merge = lazy(() => import("./compare.tsx").then(({ Merge }) => ({ default: Merge })));

type Props = {
  kind: Kind;
  overlapping: Overlapping;
  editing: Editing;
  /** Gets the document once one text has been chosen. */
  onDone: (document: Document) => void;
  /** Gets mine as it has become, to be written on. */
  onBack: (mine: Text) => void;
};

const Said = ({ theirs }: { theirs: Theirs }) => (
  <p>
    {useOtherWriter(theirs)} changed it <Moment at={theirs.updated_at} />, while you were writing. What only
    one of you changed is in both texts already. Whichever you choose, the other one stays among the versions.
  </p>
);

/** A document of which two people have changed the same passage. All else is merged already. */
export function ConflictView({ kind, overlapping, editing, onDone, onBack }: Props) {
  const { theirs, mine, other, both } = overlapping;
  const by = theirsIn(theirs, editing.theirs);
  const [title, setTitle] = useState(mine.title);
  const [text, setText] = useState(mine.text);
  const saveAs = async (written: Text) => {
    const saved = await editing.decide(theirs, written);
    if (saved) onDone(saved);
  };
  const takeTheirs = async () => {
    const kept = await editing.decide(theirs, mine);
    if (!kept) return;
    const content = contentWith(theirs.content, { kind, text: other.text });
    const taken = await untilAnswered(() => writeOver(kept, { title: other.title, content })).catch(
      (problem: Error) => toast({ kind: "refused", text: problem.message }),
    );
    if (taken) toast({ text: `Theirs is the document now. Yours is version ${kept.version}.` });
    onDone(taken ?? kept);
  };
  const busy = editing.status === "saving";
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  const writeOn = () => onBack({ title, text });
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.stopPropagation();
    writeOn();
  };
  const isMerged = text !== mine.text || title !== mine.title;
  return (
    <section ref={section} className={styles.conflict} aria-label="Two texts" tabIndex={-1} onKeyDown={leave}>
      <h1 className="visually-hidden">Two texts of {titleText(theirs.title)}</h1>
      <div className={styles.notice} role="alert">
        <strong>You both changed the same passage</strong>
        <Said theirs={by} />
      </div>
      {editing.problem && <Problem problem={editing.problem} />}
      {mine.title !== other.title && (
        <TextField label="Title" hint={`Theirs: ${other.title}`} value={title} onChange={setTitle} />
      )}
      <div className={styles.sides} aria-hidden="true">
        <span>Theirs, version {by.version}</span>
        <span>Mine: edit it, or take passages with →</span>
      </div>
      <Suspense fallback={<Loading />}>
        <Merge kind={kind} mine={mine.text} theirs={other.text} onChange={setText} />
      </Suspense>
      <Actions>
        <Button isDisabled={busy} onPress={writeOn}>
          Write on
        </Button>
        <Button isDisabled={busy} onPress={takeTheirs}>
          Take theirs
        </Button>
        {kind !== "json" && (
          <Button isDisabled={busy} onPress={() => saveAs({ title, text: both })}>
            Keep both
          </Button>
        )}
        <Button kind="primary" isDisabled={busy} onPress={() => saveAs({ title, text })}>
          {isMerged ? "Save the merged text" : "Keep mine"}
        </Button>
      </Actions>
    </section>
  );
}
