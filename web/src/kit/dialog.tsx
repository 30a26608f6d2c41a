import { type ReactNode, Suspense } from "react";
import styles from "./dialog.module.css";
import { lazyComponent } from "./lazy-component.tsx";
import type { DialogProps } from "./modal.tsx";

/** A fifth of the size of the app's first scripts, so it is loaded soon after them (shell/overlays.tsx). */
const OpenDialog = lazyComponent(() => import("./modal.tsx"));

/** A modal dialog: traps the focus and returns it afterwards; Escape and a click outside close it. */
export const Dialog = (props: DialogProps) =>
  props.isOpen ? (
    <Suspense>
      <OpenDialog {...props} wait={null} />
    </Suspense>
  ) : null;

/** The buttons at the end of a dialog or form, primary last. */
export const Actions = ({ children }: { children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);
