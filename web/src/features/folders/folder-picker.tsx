import { useState } from "react";
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField, useFilter } from "react-aria-components";
import { foldersApi } from "../../api/folders.ts";
import { Dialog } from "../../kit/dialog.tsx";
import field from "../../kit/field.module.css";
import { FolderPlus } from "../../kit/icons.tsx";
import styles from "../../kit/picker.module.css";
import { runWithToast } from "../../state/run-with-toast.ts";
import { compareNames, folderPathName, useFolders } from "./folders.ts";
import { type NewFolderPath, parseFolderPath } from "./new-folder-path.ts";

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

/** Creates folders, one within the other, and returns the last one's id. */
async function createFolders({ parent, names }: NewFolderPath): Promise<string | undefined> {
  let id = parent?.id;
  for (const name of names) id = (await foldersApi.create({ name, parent_id: id ?? null })).id;
  return id;
}

/** A dialog to choose a folder by typing part of its path. Can also create one. */
export function FolderPicker(props: Props) {
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose} hasClose>
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
    .sort(compareNames);
  const planned = parseFolderPath(typed, folders);
  const { parent, names } = planned;
  const path = [...(parent ? [folderPathName(folders, parent.id)] : []), ...names].join(" / ");
  const items = [
    { id: NONE, name: none },
    ...choices,
    ...(names.length > 0 ? [{ id: NEW, name: `Create “${path}”` }] : []),
  ];
  const pick = (id: string) => {
    onClose();
    if (id === NONE) return onPick(null, none.toLowerCase());
    if (id !== NEW) return onPick(id, folderPathName(folders, id));
    void runWithToast(async () => {
      const id = await createFolders(planned);
      if (id !== undefined) onPick(id, path);
      return undefined;
    });
  };
  return (
    <Autocomplete
      inputValue={typed}
      onInputChange={setTyped}
      filter={(text, input, { key }) => key === NEW || contains(text, input.replace(/\s*\/\s*/g, " / "))}
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
