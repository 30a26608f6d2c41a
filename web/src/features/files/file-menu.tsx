import { useState } from "react";
import type { AttachTarget, StoredFile } from "../../api/files.ts";
import type { Action } from "../../kit/actions.ts";
import { Button } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form } from "../../kit/form.tsx";
import { Copy, Download, Replace, RotateCcw, TextCursor, Trash2, X } from "../../kit/icons.tsx";
import { toast } from "../../state/toasts.ts";
import {
  detachFile,
  eraseFiles,
  replaceFile,
  restoreFiles,
  saveFile,
  trashFiles,
  updateFile,
} from "./file-actions.ts";
import { isShownPicture, safeFileName } from "./file-facts.ts";
import { Image } from "./icons.tsx";
import { fileMarkdown, fileUri } from "./reference.ts";

// The actions menu of a file.

type FileDialogKind = "name" | "alt" | "erase" | undefined;

/** @param to the document or record that the file is shown with */
const fileActions = (
  file: StoredFile,
  ask: (asked: FileDialogKind) => void,
  gone: () => void,
  to?: AttachTarget,
): Action[] => {
  const leave = (act: () => unknown) => () => {
    void act();
    gone();
  };
  const save = { name: "Download", icon: Download, run: () => void saveFile(file) };
  if (file.trashed_at)
    return [
      { name: "Restore", icon: RotateCcw, run: leave(() => restoreFiles([file])) },
      save,
      { name: "Delete permanently…", icon: Trash2, isDangerous: true, run: () => ask("erase") },
    ];
  return [
    { name: "Rename…", icon: TextCursor, run: () => ask("name") },
    ...(file.kind === "image" ? [{ name: "Describe…", icon: Image, run: () => ask("alt") }] : []),
    save,
    { name: "Copy Markdown", icon: Copy, run: () => void copyMarkdown(file) },
    { name: "Replace…", icon: Replace, run: leave(() => replaceFile(file)) },
    ...(to ? [{ name: "Detach", icon: X, run: () => void detachFile(file, to) }] : []),
    { name: "Move to trash", icon: Trash2, isDangerous: true, run: leave(() => trashFiles([file])) },
  ];
};

async function copyMarkdown(file: StoredFile): Promise<void> {
  const isPicture = isShownPicture(file);
  const words = isPicture ? (file.alt ?? "") : safeFileName(file.name);
  try {
    await navigator.clipboard.writeText(fileMarkdown(fileUri(file.id), isPicture, words));
    toast({ text: "Copied. Paste it into a document." });
  } catch {
    toast({ kind: "refused", text: "The browser blocked copying" });
  }
}

/** The menu of a file and its dialogs. `onRemoved` is called when an action removes the file from the view. */
export function useFileMenu(file: StoredFile, onRemoved: () => void = () => {}, to?: AttachTarget) {
  const [asked, setAsked] = useState<FileDialogKind>();
  return { actions: fileActions(file, setAsked, onRemoved, to), asked, close: () => setAsked(undefined) };
}

const FIELDS = {
  name: { title: "Rename file", label: "Name", hint: "", most: 255 },
  alt: {
    title: "Describe this picture",
    label: "Description",
    hint: "For people who can’t see the picture. Search finds these words, too.",
    most: 1000,
  },
} as const;

type AskProps = { file: StoredFile; onClose: () => void };

function FieldDialog({ file, field, onClose }: AskProps & { field: "name" | "alt" }) {
  const { title, label, hint, most } = FIELDS[field];
  const [text, setText] = useState(file[field] ?? "");
  const save = () => {
    onClose();
    const given = text.trim();
    if (field === "name" ? given : true) void updateFile(file, { [field]: given || null });
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form onSubmit={save}>
        <TextField label={label} hint={hint} autoFocus maxLength={most} value={text} onChange={setText} />
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" kind="primary">
            Save
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

const ConfirmErase = ({ file, onClose }: AskProps) => (
  <Dialog
    title={`Permanently delete “${safeFileName(file.name)}”?`}
    isOpen
    onClose={onClose}
    role="alertdialog"
  >
    <p>It will also disappear from all texts that show it. This can’t be undone.</p>
    <Actions>
      <Button autoFocus onPress={onClose}>
        Cancel
      </Button>
      <Button
        kind="danger"
        onPress={() => {
          onClose();
          void eraseFiles([file]);
        }}
      >
        Delete permanently
      </Button>
    </Actions>
  </Dialog>
);

/** The dialog opened from the menu of a file. */
export function FileDialog({ file, asked, onClose }: AskProps & { asked: FileDialogKind }) {
  if (asked === undefined) return null;
  if (asked === "erase") return <ConfirmErase file={file} onClose={onClose} />;
  return <FieldDialog file={file} field={asked} onClose={onClose} />;
}
