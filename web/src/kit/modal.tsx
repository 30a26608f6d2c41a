import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { IconButton } from "./button.tsx";
import styles from "./dialog.module.css";
import { X } from "./icons.tsx";

export type DialogProps = {
  title: string;
  isOpen: boolean;
  /** Called when it should close; without it, it cannot be dismissed. */
  onClose?: () => void;
  /** An alertdialog interrupts to ask something. */
  role?: "dialog" | "alertdialog";
  /** Whether it has a button that closes it: one that only shows something. */
  hasClose?: boolean;
  /** Whether it is as wide as a page. */
  isWide?: boolean;
  /** Whether nothing of the page under it can be seen. */
  isOpaque?: boolean;
  children: ReactNode;
};

/** A dialog as it is shown: focus stays inside and returns afterwards, Escape and a click outside close it. */
const OpenDialog = ({ title, isOpen, onClose, role = "dialog", children, ...look }: DialogProps) => (
  <ModalOverlay
    isOpen={isOpen}
    isDismissable={onClose !== undefined}
    isKeyboardDismissDisabled={onClose === undefined}
    onOpenChange={(open) => !open && onClose?.()}
    className={`${styles.overlay} ${look.isOpaque ? styles.opaque : ""}`}
  >
    <Modal className={`${styles.modal} ${look.isWide ? styles.wide : ""}`}>
      <AriaDialog role={role} className={styles.dialog ?? ""}>
        <header className={styles.head}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {look.hasClose && (
            <IconButton label="Close" onPress={() => onClose?.()}>
              <X aria-hidden="true" />
            </IconButton>
          )}
        </header>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);

export default OpenDialog;
