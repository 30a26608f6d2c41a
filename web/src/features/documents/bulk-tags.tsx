import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { applyChange, type DocumentChange } from "../../state/pending-changes.ts";
import { TagField } from "../tags/tag-field.tsx";
import { type Changeable, tagDocuments, untagDocuments } from "../things/document-actions.ts";
import styles from "./documents.module.css";

type Props = {
  documents: readonly Changeable[];
  /** Of the documents, such as "3 selected". */
  name: string;
  onClose: () => void;
};

/** Adds tags to documents, or removes tags that any of them has. It keeps them itself, because they may leave the list. */
export default function BulkTags({ documents: asked, name, onClose }: Props) {
  const [changes, setChanges] = useState<readonly DocumentChange[]>([]);
  const documents = asked.map((one) => changes.reduce<Changeable>(applyChange, one));
  const change = async (kind: "tag" | "untag", tag: string) => {
    const next: DocumentChange = { kind, tag };
    setChanges((before) => [...before, next]);
    const act = kind === "tag" ? tagDocuments : untagDocuments;
    if (!(await act(documents, tag))) setChanges((all) => all.filter((one) => one !== next));
  };
  const tags = [...new Set(documents.flatMap((document) => document.tags))].sort();
  return (
    <Dialog title={`Tags of ${name}`} isOpen onClose={onClose}>
      {documents.length > 1 && (
        <p className={styles.quiet}>
          At least one of the selected documents has these tags. Removing a tag removes it from all of them.
        </p>
      )}
      <TagField
        tags={tags}
        onAdd={(tag) => void change("tag", tag)}
        onRemove={(tag) => void change("untag", tag)}
      />
      <div className={styles.end}>
        <Button kind="primary" onPress={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
