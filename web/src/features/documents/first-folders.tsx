import { Link } from "wouter";
import { FolderPlus, Trash2 } from "../../kit/icons.tsx";
import { rememberedHeight } from "../../state/remembered-heights.ts";
import styles from "./folder-tree.module.css";
import { documentsUrl, parseDocumentsView } from "./view.ts";

const TRASH = documentsUrl({ ...parseDocumentsView(""), view: "trash" });

/** The placeholder of the folder tree: the trash, at the position it will have when the folders are loaded. */
export const FoldersPlaceholder = ({ isTrash }: { isTrash: boolean }) => (
  <div className={styles.first} style={{ minHeight: rememberedHeight("folders") }} data-loading>
    <div className={styles.row} data-selected={isTrash || undefined}>
      <div>
        <span className={styles.drag} />
        <span className={styles.chevron} />
        <Trash2 aria-hidden="true" />
        <Link href={TRASH} className={styles.name} aria-current={isTrash ? "page" : undefined}>
          Trash
        </Link>
      </div>
    </div>
  </div>
);

/** Shown below the folder tree, also while that loads. */
export const NewFolderButton = ({ onPress }: { onPress: () => void }) => (
  <button type="button" className={styles.add} onClick={onPress}>
    <FolderPlus aria-hidden="true" /> New folder
  </button>
);
