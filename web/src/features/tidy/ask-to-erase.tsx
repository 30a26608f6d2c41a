import type { Finding } from "../../api/tidy.ts";
import { Button } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import type { Erasing } from "./settle.ts";

type Props = { finding: Finding; action: Erasing; onClose: () => void; onErase: () => void };

const TEXTS: Record<Erasing, { title: string; text: string }> = {
  erase: { title: "Erase it for good?", text: "It is erased with all its versions. This cannot be undone." },
  erase_versions: {
    title: "Erase these versions for good?",
    text: "What it says now stays. The earlier versions that contain the secret are erased. This cannot be undone.",
  },
};

/** Asks before something is erased that nothing brings back. */
export function AskToErase({ finding: { reason }, action, onClose, onErase }: Props) {
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
          Erase
        </Button>
      </Actions>
    </Dialog>
  );
}
