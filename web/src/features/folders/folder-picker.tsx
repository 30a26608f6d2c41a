import { useState } from "react";
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField, useFilter } from "react-aria-components";
import { type Folder, foldersApi } from "../../api/folders.ts";
import { Dialog } from "../../kit/dialog.tsx";
import field from "../../kit/field.module.css";
import { FolderPlus } from "../../kit/icons.tsx";
import styles from "../../kit/picker.module.css";
import { runWithToast } from "../../state/run-with-toast.ts";
import { folderPathName, useFolders } from "./folders.ts";

type Props = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** `id`: null for no folder. `name`: its path. */
  onPick: (id: string | null, name: string) => void;
  /** Name of the choice "no folder". */
  none?: string;
  /** Folders for which it returns false are left out. */
  allows?: (id: string) => boolean;
};

const NONE = "none";
const NEW = "new";

/** The folder that a typed path would create: "Work / Letters" is inside Work if that exists. */
function parseNewFolder(
  typed: string,
  folders: readonly Folder[],
): { name: string; parent: Folder | undefined } {
  const [, above = "", name = ""] = /^(.*)\/([^/]+)$/.exec(typed) ?? [];
  const wanted = above.split("/").map((part) => part.trim().toLowerCase());
  const parent = folders.find(({ id }) => folderPathName(folders, id).toLowerCase() === wanted.join(" / "));
  return parent ? { name: name.trim(), parent } : { name: typed.trim(), parent: undefined };
}

/** A dialog to choose a folder by typing part of its path. Can also create one. */
export function FolderPicker(props: Props) {
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose}>
      <Choices {...props} />
    </Dialog>
  );
}

function Choices({ onClose, onPick, none = "No folder", allows }: Props) {
  const { data: folders = [] } = useFolders();
  const { contains } = useFilter({ sensitivity: "base" });
  const [typed, setTyped] = useState("");
  const choices = folders
    .filter(({ id }) => allows?.(id) ?? true)
    .map(({ id }) => ({ id, name: folderPathName(folders, id) }))
    .sort((one, other) => one.name.localeCompare(other.name));
  const { name: newName, parent } = parseNewFolder(typed, folders);
  const path = [...(parent ? [folderPathName(folders, parent.id)] : []), newName].join(" / ");
  const isNew = newName !== "" && !choices.some(({ name }) => name.toLowerCase() === path.toLowerCase());
  const items = [
    { id: NONE, name: none },
    ...choices,
    ...(isNew ? [{ id: NEW, name: `Create “${path}”` }] : []),
  ];
  const pick = (id: string) => {
    onClose();
    if (id === NONE) return onPick(null, none.toLowerCase());
    if (id !== NEW) return onPick(id, folderPathName(folders, id));
    void runWithToast(async () => {
      const made = await foldersApi.create({ name: newName, parent_id: parent?.id ?? null });
      onPick(made.id, path);
      return undefined;
    });
  };
  return (
    <Autocomplete
      inputValue={typed}
      onInputChange={setTyped}
      filter={(text, input, { key }) => key === NEW || contains(text, input)}
    >
      <SearchField aria-label="Find or create a folder" autoFocus>
        <Input className={field.input} placeholder="Find or create a folder" maxLength={255} />
      </SearchField>
      <ListBox
        aria-label="Folders"
        className={styles.list}
        items={items}
        onAction={(key) => pick(String(key))}
        renderEmptyState={() => <p className={styles.nothing}>No matching folder</p>}
      >
        {({ id, name }) => (
          <ListBoxItem textValue={name} className={styles.item}>
            {id === NEW && <FolderPlus />} {name}
          </ListBoxItem>
        )}
      </ListBox>
    </Autocomplete>
  );
}
