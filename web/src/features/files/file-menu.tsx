import { useState } from "react";
import type { AttachTarget, StoredFile } from "../../api/files.ts";
import type { Action } from "../../kit/actions.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/confirm.tsx";
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

type FileDialogKind = keyof typeof FIELDS | "erase";

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

const FIELDS = {
  name: { title: "Rename file", label: "Name", hint: "", most: 255 },
  alt: {
    title: "Describe this picture",
    label: "Description",
    hint: "For people who can’t see the picture. Search finds these words, too.",
    most: 1000,
  },
} as const;

type FieldProps = { file: StoredFile; field: keyof typeof FIELDS; onClose: () => void };

function FieldDialog({ file, field, onClose }: FieldProps) {
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

/** The menu of a file and the dialog it opens. `onRemoved`: called when an action removes the file from the view. */
export function useFileMenu(file: StoredFile, onRemoved: () => void = () => {}, to?: AttachTarget) {
  const [asked, setAsked] = useState<FileDialogKind>();
  const close = () => setAsked(undefined);
  const dialog =
    asked === "erase" ? (
      <ConfirmDialog
        title={`Permanently delete “${safeFileName(file.name)}”?`}
        text="It will also disappear from all texts that show it. This can’t be undone."
        verb="Delete permanently"
        onClose={close}
        onConfirm={() => void eraseFiles([file])}
      />
    ) : (
      asked && <FieldDialog file={file} field={asked} onClose={close} />
    );
  return { actions: fileActions(file, setAsked, onRemoved, to), dialog };
}
