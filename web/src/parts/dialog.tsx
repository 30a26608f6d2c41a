import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import styles from "./dialog.module.css";

type Props = {
  title: string;
  isOpen: boolean;
  /** Called when it should close; without it, it cannot be dismissed. */
  onClose?: () => void;
  /** An alertdialog interrupts to ask something. */
  role?: "dialog" | "alertdialog";
  children: ReactNode;
};

/** A modal dialog: focus stays inside and returns afterwards, Escape and a click outside close it. */
export const Dialog = ({ title, isOpen, onClose, role = "dialog", children }: Props) => (
  <ModalOverlay
    isOpen={isOpen}
    isDismissable={onClose !== undefined}
    isKeyboardDismissDisabled={onClose === undefined}
    onOpenChange={(open) => !open && onClose?.()}
    className={styles.overlay ?? ""}
  >
    <Modal className={styles.modal ?? ""}>
      <AriaDialog role={role} className={styles.dialog ?? ""}>
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);

/** The buttons at the end of a dialog or form, the main one last. */
export const Actions = ({ children }: { children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);
