import type { ReactNode } from "react";
import styles from "./form.module.css";

type Props = { onSubmit: () => void; children: ReactNode };

/** Fields in a column. Errors come from the server, so the browser's own validation is off. */
export const Form = ({ onSubmit, children }: Props) => (
  <form
    noValidate
    className={styles.form}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
  </form>
);
