import { type FormEvent, useState } from "react";
import { isJob } from "../../api/jobs.ts";
import { tagsApi } from "../../api/tags.ts";
import { Button } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
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

export type TagDialogKind = "rename" | "remove";

type Props = {
  tag: string;
  about: TagDialogKind;
  onClose: () => void;
  /** Called with the new name, or undefined if the tag was removed. */
  onChange: (next: string | undefined) => void;
};

function RenameTag({ tag, onClose, onChange }: Props) {
  const [name, setName] = useState(tag);
  const next = name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!next || next === tag) return;
    onClose();
    renameTag(tag, next, () => onChange(next));
  };
  return (
    <Dialog title="Rename tag" isOpen onClose={onClose}>
      <form onSubmit={submit} className={styles.form}>
        <TextField label="Name" autoFocus maxLength={64} value={name} onChange={setName} />
        <p className={styles.quiet}>
          Renames the tag on every document that has it. If the new name already exists, the tags are merged.
        </p>
        <Actions>
          <Button type="submit" kind="primary" isDisabled={!next || next === tag}>
            Rename
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

const RemoveTag = ({ tag, onClose, onChange }: Props) => (
  <Dialog title={`Remove the tag “${tag}”?`} isOpen onClose={onClose} role="alertdialog">
    <p>The tag is removed from all documents. The documents themselves stay.</p>
    <Actions>
      <Button autoFocus onPress={onClose}>
        Cancel
      </Button>
      <Button
        kind="danger"
        onPress={() => {
          onClose();
          removeTag(tag, () => onChange(undefined));
        }}
      >
        Remove
      </Button>
    </Actions>
  </Dialog>
);

export const TagDialog = (props: Props) =>
  props.about === "rename" ? <RenameTag {...props} /> : <RemoveTag {...props} />;
