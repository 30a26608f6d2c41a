import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CopyText } from "./copy.tsx";
import { Actions, Dialog } from "./dialog.tsx";

type Props = {
  title: string;
  /** What is copied, for screen readers. */
  label: string;
  secret: string;
  done?: string;
  onClose: () => void;
  children: ReactNode;
};

/** Shows a secret, only once, so that only its button closes the dialog. */
export const SecretDialog = ({ title, label, secret, done = "I’ve copied it", onClose, children }: Props) => (
  <Dialog title={title} isOpen>
    <p>{children}</p>
    <CopyText label={label} text={secret} />
    <Actions>
      <Button kind="primary" onPress={onClose}>
        {done}
      </Button>
    </Actions>
  </Dialog>
);
