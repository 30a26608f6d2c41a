import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import styles from "./dialog.module.css";
import type { DialogProps } from "./dialog.tsx";

/** A dialog as it is shown: focus stays inside and returns afterwards, Escape and a click outside close it. */
const OpenDialog = ({ title, isOpen, onClose, role = "dialog", children }: DialogProps) => (
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

export default OpenDialog;
