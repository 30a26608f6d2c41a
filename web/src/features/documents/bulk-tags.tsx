import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { formatCount } from "../../kit/text.ts";
import { TagField } from "../tags/tag-field.tsx";
import { type Changeable, tagDocuments, untagDocuments } from "../things/document-actions.ts";
import styles from "./documents.module.css";

type Props = { documents: Changeable[]; onClose: () => void };

/** Adds tags to many documents, or removes tags that any of them has. */
export default function BulkTags({ documents, onClose }: Props) {
  const tags = [...new Set(documents.flatMap((document) => document.tags))].sort();
  return (
    <Dialog title={`Tags of ${formatCount(documents.length)} selected`} isOpen onClose={onClose}>
      <p className={styles.quiet}>
        At least one of the selected documents has these tags. Removing a tag removes it from all of them.
      </p>
      <TagField
        tags={tags}
        onAdd={(tag) => void tagDocuments(documents, tag)}
        onRemove={(tag) => void untagDocuments(documents, tag)}
      />
      <div className={styles.end}>
        <Button kind="primary" onPress={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
