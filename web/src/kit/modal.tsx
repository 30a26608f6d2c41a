import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import styles from "./dialog.module.css";

export type DialogProps = {
  title: string;
  isOpen: boolean;
  /** Called when it should close; without it, it cannot be dismissed. */
  onClose?: () => void;
  /** An alertdialog interrupts to ask something. */
  role?: "dialog" | "alertdialog";
  /** Whether nothing of the page under it can be seen. */
  isOpaque?: boolean;
  children: ReactNode;
};

/** A dialog as it is shown: focus stays inside and returns afterwards, Escape and a click outside close it. */
const OpenDialog = ({ title, isOpen, onClose, role = "dialog", isOpaque = false, children }: DialogProps) => (
  <ModalOverlay
    isOpen={isOpen}
    isDismissable={onClose !== undefined}
    isKeyboardDismissDisabled={onClose === undefined}
    onOpenChange={(open) => !open && onClose?.()}
    className={`${styles.overlay} ${isOpaque ? styles.opaque : ""}`}
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

export default OpenDialog;
