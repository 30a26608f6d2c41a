import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Actions } from "./dialog.tsx";
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

type SubmitProps = { verb: string; onCancel: () => void; isDisabled?: boolean };

/** The buttons at the end of a form in a dialog. */
export const SubmitOrCancel = ({ verb, onCancel, isDisabled = false }: SubmitProps) => (
  <Actions>
    <Button onPress={onCancel}>Cancel</Button>
    <Button type="submit" kind="primary" isDisabled={isDisabled}>
      {verb}
    </Button>
  </Actions>
);

/** Why the server refused what was sent. */
export const FormError = ({ children }: { children: string | undefined }) =>
  children === undefined ? null : (
    <p className={styles.problem} role="alert">
      {children}
    </p>
  );
