import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { IconButton } from "./button.tsx";
import styles from "./dialog.module.css";
import { X } from "./icons.tsx";

export type DialogProps = {
  title: string;
  isOpen: boolean;
  /** Called when it should close; undefined makes it not dismissable. */
  onClose?: () => void;
  /** An alertdialog asks for confirmation. */
  role?: "dialog" | "alertdialog";
  /** Whether it has a close button: for dialogs without other buttons. */
  hasClose?: boolean;
  /** Whether it is as wide as a page. */
  isWide?: boolean;
  /** Whether it hides the page behind it completely. */
  isOpaque?: boolean;
  children: ReactNode;
};

const OpenDialog = ({ title, isOpen, onClose, role = "dialog", children, ...look }: DialogProps) => (
  <ModalOverlay
    isOpen={isOpen}
    isDismissable={onClose !== undefined}
    isKeyboardDismissDisabled={onClose === undefined}
    onOpenChange={(open) => !open && onClose?.()}
    className={`${styles.overlay} ${look.isOpaque ? styles.opaque : ""}`}
  >
    <Modal className={`${styles.modal} ${look.isWide ? styles.wide : ""}`}>
      <AriaDialog role={role} className={styles.dialog}>
        <header className={styles.head}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {look.hasClose && (
            <IconButton label="Close" onPress={() => onClose?.()}>
              <X />
            </IconButton>
          )}
        </header>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);

export default OpenDialog;
