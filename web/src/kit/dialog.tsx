import { lazy, type ReactNode, Suspense } from "react";
import styles from "./dialog.module.css";
import type { DialogProps } from "./modal.tsx";

/** A fifth of the app's first scripts: loaded soon after them (shell/over.tsx), not with them. */
const OpenDialog = lazy(() => import("./modal.tsx"));

/** A modal dialog: focus stays inside and returns afterwards, Escape and a click outside close it. */
export const Dialog = (props: DialogProps) =>
  props.isOpen ? (
    <Suspense>
      <OpenDialog {...props} />
    </Suspense>
  ) : null;

/** The buttons at the end of a dialog or form, the main one last. */
export const Actions = ({ children }: { children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);
