import { useState } from "react";
import { isJob } from "../../api/jobs.ts";
import { tagsApi } from "../../api/tags.ts";
import { ConfirmDialog } from "../../kit/confirm.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, SubmitOrCancel } from "../../kit/form.tsx";
import { trackJob } from "../../state/jobs.ts";
import { runWithToast } from "../../state/run-with-toast.ts";
import styles from "./documents.module.css";

/** @param then called once the server has accepted the request */
const renameTag = (tag: string, name: string, then: () => void) =>
  runWithToast(async (changes) => {
    const answer = await tagsApi.rename(tag, name, { changes });
    then();
    return isJob(answer) ? trackJob(answer) : `Tag renamed to “${name}”`;
  });

const removeTag = (tag: string, then: () => void) =>
  runWithToast(async (changes) => {
    const job = await tagsApi.remove(tag, { changes });
    then();
    return job ? trackJob(job) : `Tag “${tag}” removed`;
  });

export type TagDialogProps = {
  tag: string;
  about: "rename" | "remove";
  onClose: () => void;
  /** Called with the new name, or undefined if the tag was removed. */
  onChange: (next: string | undefined) => void;
};

function RenameTag({ tag, onClose, onChange }: TagDialogProps) {
  const [name, setName] = useState(tag);
  const next = name.trim();
  const submit = () => {
    if (!next || next === tag) return;
    onClose();
    renameTag(tag, next, () => onChange(next));
  };
  return (
    <Dialog title="Rename tag" isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        <TextField label="Name" autoFocus maxLength={64} value={name} onChange={setName} />
        <p className={styles.quiet}>
          Renames the tag on every document that has it. If the new name already exists, the tags are merged.
        </p>
        <SubmitOrCancel verb="Rename" onCancel={onClose} isDisabled={!next || next === tag} />
      </Form>
    </Dialog>
  );
}

const RemoveTag = ({ tag, onClose, onChange }: TagDialogProps) => (
  <ConfirmDialog
    title={`Remove the tag “${tag}”?`}
    text="The tag is removed from all documents. The documents themselves stay."
    verb="Remove"
    onClose={onClose}
    onConfirm={() => void removeTag(tag, () => onChange(undefined))}
  />
);

export const TagDialog = (props: TagDialogProps) =>
  props.about === "rename" ? <RenameTag {...props} /> : <RemoveTag {...props} />;
