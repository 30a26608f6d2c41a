import { useState } from "react";
import type { Folder } from "../../api/folders.ts";
import { Button } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, SubmitOrCancel } from "../../kit/form.tsx";
import { FolderPicker } from "../folders/folder-picker.tsx";
import { childFolders, folderPathName, isWithinFolder } from "../folders/folders.ts";
import { createFolder, deleteFolder, moveFolder, renameFolder } from "./folder-actions.ts";

export type FolderDialogState =
  | { about: "create"; inside: string | undefined }
  | { about: "rename" | "move" | "delete"; folder: Folder };

type NameProps = {
  title: string;
  button: string;
  first: string;
  onClose: () => void;
  onName: (name: string) => void;
};

function NameDialog({ title, button, first, onClose, onName }: NameProps) {
  const [typed, setTyped] = useState(first);
  const name = typed.trim();
  const submit = () => {
    if (!name) return;
    onClose();
    onName(name);
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        <TextField label="Name" autoFocus maxLength={255} value={typed} onChange={setTyped} />
        <SubmitOrCancel verb={button} onCancel={onClose} isDisabled={!name} />
      </Form>
    </Dialog>
  );
}

const countText = (number: number, name: string) => `${number} ${name}${number === 1 ? "" : "s"}`;

type DeleteProps = Pick<Props, "folders" | "onClose" | "onDelete"> & { folder: Folder };

const DeleteDialog = ({ folder, folders, onClose, onDelete }: DeleteProps) => {
  const inner = childFolders(folders, folder.id).length;
  const content = [
    ...(folder.document_count > 0 ? [countText(folder.document_count, "document")] : []),
    ...(inner > 0 ? [countText(inner, "folder")] : []),
  ];
  const choose = (onContent?: "move_up" | "trash") => {
    onClose();
    deleteFolder(folder, onContent, () => onDelete(folder));
  };
  if (content.length === 0) {
    return (
      <Dialog title={`Delete “${folder.name}”?`} isOpen onClose={onClose} role="alertdialog">
        <p>This folder is empty.</p>
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="danger" autoFocus onPress={() => choose()}>
            Delete
          </Button>
        </Actions>
      </Dialog>
    );
  }
  const above = folderPathName(folders, folder.parent_id);
  return (
    <Dialog title={`“${folder.name}” is not empty`} isOpen onClose={onClose} role="alertdialog">
      <p>It contains {content.join(" and ")}. What should happen to them?</p>
      <Actions>
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="danger" onPress={() => choose("trash")}>
          Move all documents to trash
        </Button>
        <Button kind="primary" onPress={() => choose("move_up")}>
          Move them to {above || "the top level"}
        </Button>
      </Actions>
    </Dialog>
  );
};

type Props = {
  asked: FolderDialogState;
  folders: Folder[];
  onClose: () => void;
  onCreate: (folder: Folder) => void;
  onDelete: (folder: Folder) => void;
};

export default function FolderDialog({ asked, folders, onClose, onCreate, onDelete }: Props) {
  if (asked.about === "create") {
    const parent = folders.find(({ id }) => id === asked.inside);
    return (
      <NameDialog
        title={parent ? `New folder in ${parent.name}` : "New folder"}
        button="Create"
        first=""
        onClose={onClose}
        onName={(name) => void createFolder(name, parent?.id ?? null, onCreate)}
      />
    );
  }
  const { folder } = asked;
  if (asked.about === "rename") {
    return (
      <NameDialog
        title="Rename folder"
        button="Rename"
        first={folder.name}
        onClose={onClose}
        onName={(name) => void renameFolder(folder, name)}
      />
    );
  }
  if (asked.about === "delete")
    return <DeleteDialog folder={folder} folders={folders} onClose={onClose} onDelete={onDelete} />;
  return (
    <FolderPicker
      title={`Move “${folder.name}” to`}
      none="Top level"
      isOpen
      onClose={onClose}
      allows={(id) => !isWithinFolder(folders, id, folder.id)}
      onPick={(id, name) => moveFolder(folder, { id, name })}
    />
  );
}
