import { type FormEvent, useRef, useState } from "react";
import { type Memory, memoriesApi } from "../../api/memories.ts";
import { isApiError } from "../../api/request.ts";
import { Button } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { FormError } from "../../kit/form.tsx";
import { Pencil } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { MOD_KEY } from "../../kit/key-name.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { useDraft } from "../../state/drafts.ts";
import { refreshMemories } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import { type ChangeIds, undoOffer } from "../../state/undo.ts";
import { useSecretQuestion } from "../things/ask-secret.tsx";
import styles from "./record.module.css";
import { RecordConflict } from "./record-conflict.tsx";
import { cacheMemory } from "./save-fields.ts";

type Text = Pick<Memory, "topic" | "content">;
/** A text that is being edited, and the version that it is based on. */
type Draft = Text & { base: Text & { version: number } };

const textOf = ({ topic, content }: Text): Text => ({ topic, content });
const isSame = (a: Text, b: Text) => a.topic === b.topic && a.content === b.content;
const draftOf = (memory: Memory): Draft => ({
  ...textOf(memory),
  base: { ...textOf(memory), version: memory.version },
});

/**
 * Saves a text against the version that it is based on. Returns the newer record if its text was changed meanwhile;
 * changes of other fields are no conflict.
 */
async function saveText(id: number, draft: Draft, changes: ChangeIds): Promise<Memory | undefined> {
  try {
    cacheMemory(await memoriesApi.update(id, textOf(draft), { version: draft.base.version, changes }));
    return undefined;
  } catch (problem) {
    if (!isApiError(problem, 412)) throw problem;
  }
  const newer = await memoriesApi.get(id);
  cacheMemory(newer);
  // Our own change, whose answer was lost.
  if (isSame(newer, draft)) return undefined;
  if (!isSame(newer, draft.base)) return newer;
  return saveText(id, { ...draft, base: { ...draft.base, version: newer.version } }, changes);
}

type EditorProps = { memory: Memory; draft: Draft; setDraft: (draft: Draft | undefined) => void };

function useSaving({ memory, draft, setDraft }: EditorProps) {
  const [newer, setNewer] = useState<Memory>();
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const save = async (saved: Draft) => {
    setSaving(true);
    setProblem(undefined);
    try {
      const changes: ChangeIds = [];
      const conflicting = await saveText(memory.id, saved, changes);
      setNewer(conflicting);
      if (!conflicting) {
        setDraft(undefined);
        toast({ text: "Saved", ...undoOffer(changes) });
        void refreshMemories();
      }
    } catch (refused) {
      setProblem((refused as Error).message);
    } finally {
      setSaving(false);
    }
  };
  const discard = () => {
    setDraft(undefined);
    setNewer(undefined);
    if (!isSame(draft, draft.base)) toast({ text: "Draft discarded", undo: () => setDraft(draft) });
  };
  return { newer, setNewer, problem, isSaving, save, discard };
}

function Editor(props: EditorProps) {
  const { draft, setDraft } = props;
  const { newer, setNewer, problem, isSaving, save, discard } = useSaving(props);
  const form = useRef<HTMLFormElement>(null);
  const { mayGo, question } = useSecretQuestion();
  useShortcuts({
    "mod+s": () => form.current?.requestSubmit(),
    "mod+Enter": () => form.current?.requestSubmit(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void mayGo(draft.content).then((isAllowed) => (isAllowed ? save(draft) : undefined));
  };
  if (newer) {
    const base = { ...textOf(newer), version: newer.version };
    const both = `${newer.content}\n\n${draft.content}`;
    return (
      <RecordConflict
        mine={draft}
        theirs={newer}
        keepMine={() => void save({ ...draft, base })}
        keepTheirs={discard}
        keepBoth={() => {
          setDraft({ topic: draft.topic, content: both, base });
          setNewer(undefined);
        }}
      />
    );
  }
  return (
    <form ref={form} className={styles.editor} onSubmit={submit}>
      <TextField
        label="Topic"
        isRequired
        maxLength={500}
        value={draft.topic}
        onChange={(topic) => setDraft({ ...draft, topic })}
      />
      <TextField
        label="Content"
        isRequired
        autoFocus
        rows={10}
        maxLength={20_000}
        value={draft.content}
        onChange={(content) => setDraft({ ...draft, content })}
      />
      <FormError>{problem}</FormError>
      {question(
        (content) => setDraft({ ...draft, content }),
        () => void save(draft),
      )}
      <Actions>
        <span className={styles.quiet}>Draft saved in this browser</span>
        <Button onPress={discard}>Discard</Button>
        <Button type="submit" kind="primary" isDisabled={isSaving}>
          Save <Key>{MOD_KEY}S</Key>
        </Button>
      </Actions>
    </form>
  );
}

export function RecordText({ memory }: { memory: Memory }) {
  const [draft, setDraft] = useDraft<Draft>(`memory:${memory.id}`);
  const edit = () => setDraft(draftOf(memory));
  useShortcuts({ i: edit });
  if (draft) return <Editor memory={memory} draft={draft} setDraft={setDraft} />;
  return (
    <section className={styles.text} aria-label="Content">
      {memory.content !== memory.topic && <p dir="auto">{memory.content}</p>}
      <Button kind="quiet" onPress={edit}>
        <Pencil /> Edit the text <Key>i</Key>
      </Button>
    </section>
  );
}
