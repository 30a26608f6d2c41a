import { type ReactNode, useState } from "react";
import { toast } from "../state/toasts.ts";
import { Button } from "./button.tsx";
import { Actions, Dialog } from "./dialog.tsx";

type Props = {
  /** Content of the button that opens the dialog. */
  children: ReactNode;
  title: string;
  /** What will happen, and whether it can be undone. */
  text: ReactNode;
  /** Style of the button that opens the dialog. */
  kind?: "danger" | "quiet";
  /** Text of the cancel button. */
  keep?: string;
  /** Text of the confirm button. */
  verb: string;
  act: () => Promise<unknown>;
  /** Distinguishes buttons with the same text, for screen readers. */
  "aria-label"?: string;
};

type DialogProps = { title: string; text: string; verb: string; onConfirm: () => void; onClose: () => void };

/** An open dialog that asks before something irreversible. */
export const ConfirmDialog = ({ title, text, verb, onConfirm, onClose }: DialogProps) => (
  <Dialog title={title} isOpen onClose={onClose} role="alertdialog">
    <p>{text}</p>
    <Actions>
      <Button autoFocus onPress={onClose}>
        Cancel
      </Button>
      <Button
        kind="danger"
        onPress={() => {
          onClose();
          onConfirm();
        }}
      >
        {verb}
      </Button>
    </Actions>
  </Dialog>
);

/** A button for irreversible actions: asks for confirmation, and shows a toast if the action fails. */
export function ConfirmButton({
  children,
  title,
  text,
  kind = "danger",
  keep = "Cancel",
  verb,
  act,
  ...label
}: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      await act();
      setOpen(false);
    } catch (problem) {
      toast({ kind: "refused", text: (problem as Error).message });
    }
    setBusy(false);
  };
  return (
    <>
      <Button kind={kind} onPress={() => setOpen(true)} {...label}>
        {children}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setOpen(false)} role="alertdialog">
        <div>{text}</div>
        <Actions>
          <Button autoFocus onPress={() => setOpen(false)}>
            {keep}
          </Button>
          <Button kind="danger" isDisabled={isBusy} onPress={confirm}>
            {verb}
          </Button>
        </Actions>
      </Dialog>
    </>
  );
}
