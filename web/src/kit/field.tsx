import {
  TextField as AriaTextField,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  type TextFieldProps,
} from "react-aria-components";
import styles from "./field.module.css";

type Props = Omit<TextFieldProps, "className" | "children"> & {
  label: string;
  hint?: string;
  /** The error message. */
  problem?: string | undefined;
  placeholder?: string;
  /** More than one row makes it a text area. */
  rows?: number;
};

export const TextField = ({ label, hint, problem, placeholder, rows = 1, ...props }: Props) => (
  <AriaTextField {...props} isInvalid={problem !== undefined} className={styles.field}>
    <Label>{label}</Label>
    {rows > 1 ? (
      <TextArea rows={rows} placeholder={placeholder} className={styles.input} />
    ) : (
      <Input placeholder={placeholder} className={styles.input} />
    )}
    {hint && (
      <Text slot="description" className={styles.hint}>
        {hint}
      </Text>
    )}
    <FieldError className={styles.problem}>{problem}</FieldError>
  </AriaTextField>
);

/** The code of two-factor authentication. */
export const CodeField = (props: Pick<Props, "value" | "onChange" | "autoFocus" | "problem">) => (
  <TextField
    label="Code"
    hint="From your authenticator app, or a recovery code"
    autoComplete="one-time-code"
    {...props}
  />
);
