import type { Finding } from "../../api/tidy.ts";
import { Button } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import type { EraseAction } from "./settle.ts";

type Props = { finding: Finding; action: EraseAction; onClose: () => void; onErase: () => void };

const TEXTS: Record<EraseAction, { title: string; text: string }> = {
  erase: { title: "Delete permanently?", text: "All its versions are deleted too. This can’t be undone." },
  erase_versions: {
    title: "Delete these versions permanently?",
    text: "The current version stays. The earlier versions that contain the secret are deleted. This can’t be undone.",
  },
};

export function EraseDialog({ finding: { reason }, action, onClose, onErase }: Props) {
  const { title, text } = TEXTS[action];
  return (
    <Dialog title={title} isOpen onClose={onClose} role="alertdialog">
      <p>{reason}.</p>
      <p>{text}</p>
      <Actions>
        <Button autoFocus onPress={onClose}>
          Cancel
        </Button>
        <Button kind="danger" onPress={onErase}>
          Delete permanently
        </Button>
      </Actions>
    </Dialog>
  );
}
