import { Autocomplete, Input, ListBox, ListBoxItem, SearchField, useFilter } from "react-aria-components";
import { Dialog } from "../kit/dialog.tsx";
import { pathName, useFolders } from "../features/folders/folders.ts";
import styles from "../kit/picker.module.css";

type Props = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Gets the folder, or null for none. */
  onPick: (id: string | null) => void;
  /** What the choice of no folder is called. */
  none?: string;
  /** Folders that cannot be chosen are left out. */
  allows?: (id: string) => boolean;
};

const NONE = "none";

/** Asks for a folder: by typing part of its path, with the arrows, or with a click. */
export function FolderPicker({ title, isOpen, onClose, onPick, none = "No folder", allows }: Props) {
  const { data: folders = [] } = useFolders();
  const { contains } = useFilter({ sensitivity: "base" });
  const choices = folders
    .filter(({ id }) => allows?.(id) ?? true)
    .map(({ id }) => ({ id, name: pathName(folders, id) }))
    .sort((one, other) => one.name.localeCompare(other.name));
  const pick = (id: string) => {
    onClose();
    onPick(id === NONE ? null : id);
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <Autocomplete filter={contains}>
        <SearchField aria-label="Find a folder" autoFocus>
          <Input className={styles.input ?? ""} placeholder="Find a folder" />
        </SearchField>
        <ListBox
          aria-label="Folders"
          className={styles.list ?? ""}
          items={[{ id: NONE, name: none }, ...choices]}
          onAction={(key) => pick(String(key))}
          renderEmptyState={() => <p className={styles.nothing}>No folder has this in its name</p>}
        >
          {({ name }) => (
            <ListBoxItem textValue={name} className={styles.item ?? ""}>
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </Autocomplete>
    </Dialog>
  );
}
