import { FolderInput, Tag, Trash2, X } from "lucide-react";
import type { ReactNode } from "react";
import { Toolbar } from "react-aria-components";
import { Button, IconButton } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { type Changeable, tagDocuments, untagDocuments } from "../parts/document-actions.ts";
import { TagField } from "../features/tags/tag-field.tsx";
import styles from "../features/documents/documents.module.css";

type BarProps = { count: number; onClear: () => void; children: ReactNode };

/** What can be done with the selected rows. */
export const SelectionBar = ({ count, onClear, children }: BarProps) => (
  <Toolbar aria-label="Selected" className={styles.selection ?? ""}>
    <span role="status">{count} selected</span>
    {children}
    <IconButton label="Select none" shortcut="Esc" onPress={onClear}>
      <X aria-hidden="true" />
    </IconButton>
  </Toolbar>
);

export type BulkSteps = Record<"move" | "tag" | "trash", () => void>;

export const BulkActions = ({ move, tag, trash }: BulkSteps) => (
  <>
    <Button onPress={move}>
      <FolderInput aria-hidden="true" size="1rem" /> Move <kbd>m</kbd>
    </Button>
    <Button onPress={tag}>
      <Tag aria-hidden="true" size="1rem" /> Tags <kbd>t</kbd>
    </Button>
    <Button onPress={trash}>
      <Trash2 aria-hidden="true" size="1rem" /> Trash <kbd>#</kbd>
    </Button>
  </>
);

type TagsProps = { documents: Changeable[]; isOpen: boolean; onClose: () => void };

/** Adds tags to many documents, or removes those that any of them has. */
export const BulkTags = ({ documents, isOpen, onClose }: TagsProps) => {
  const tags = [...new Set(documents.flatMap((document) => document.tags))].sort();
  const change = (next: string[]) => {
    const added = next.filter((tag) => !tags.includes(tag));
    const removed = tags.filter((tag) => !next.includes(tag));
    for (const tag of added) tagDocuments(documents, tag);
    for (const tag of removed) untagDocuments(documents, tag);
  };
  return (
    <Dialog title={`Tags of ${documents.length} selected`} isOpen={isOpen} onClose={onClose}>
      <p className={styles.quiet}>These tags are on at least one of them. Removing one takes it off all.</p>
      <TagField tags={tags} onChange={change} />
      <div className={styles.end}>
        <Button kind="primary" onPress={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
};
