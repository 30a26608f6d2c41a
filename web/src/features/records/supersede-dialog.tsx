import type { FormEvent } from "react";
import { useLocation } from "wouter";
import { type Memory, memoriesApi } from "../../api/memories.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { SubmitOrCancel } from "../../kit/form.tsx";
import { useSave } from "../../kit/use-save.ts";
import { useDraft } from "../../state/drafts.ts";
import { refreshMemories } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import { type ChangeIds, undoOffer } from "../../state/undo.ts";
import styles from "./record.module.css";

type Text = { topic: string; content: string };

/** Creates a record that replaces another. The old one is archived and stays linked. */
export function SupersedeDialog({ memory, onClose }: { memory: Memory; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [draft, setDraft] = useDraft<Text>(`replace:${memory.id}`);
  const { isBusy, problem, run } = useSave();
  const text = draft ?? { topic: memory.topic, content: memory.content };
  const replace = async () => {
    const changes: ChangeIds = [];
    const { superseded_by_id } = await memoriesApi.supersede(memory.id, text, { changes });
    setDraft(undefined);
    onClose();
    toast({ text: `Replaced by record ${superseded_by_id}`, ...undoOffer(changes) });
    navigate(`/records/${superseded_by_id}`);
    await refreshMemories();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(replace);
  };
  return (
    <Dialog title="Replace with a new record" isOpen onClose={onClose}>
      <p className={styles.quiet}>This record is archived. The two stay linked.</p>
      <form noValidate className={styles.editor} onSubmit={submit}>
        <TextField
          label="Topic"
          isRequired
          maxLength={500}
          value={text.topic}
          onChange={(topic) => setDraft({ ...text, topic })}
        />
        <TextField
          label="What’s true now"
          isRequired
          autoFocus
          rows={6}
          maxLength={20_000}
          value={text.content}
          onChange={(content) => setDraft({ ...text, content })}
          problem={problem}
        />
        <SubmitOrCancel verb="Replace" onCancel={onClose} isDisabled={isBusy} />
      </form>
    </Dialog>
  );
}
