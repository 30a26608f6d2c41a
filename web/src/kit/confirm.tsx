import { type ReactNode, useState } from "react";
import { toast } from "../state/toasts.ts";
import { Button } from "./button.tsx";
import { Actions, Dialog } from "./dialog.tsx";

type Props = {
  /** On the button that asks. */
  children: ReactNode;
  title: string;
  /** What will happen, and whether it can be taken back. */
  text: ReactNode;
  /** How the button that asks looks. */
  kind?: "danger" | "quiet";
  /** On the button that leaves everything as it is. */
  keep?: string;
  /** On the button that does it. */
  verb: string;
  act: () => Promise<unknown>;
  /** Distinguishes buttons with the same text, for screen readers. */
  "aria-label"?: string;
};

/** A button for what cannot be taken back: it asks first, and shows why if it is refused. */
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
