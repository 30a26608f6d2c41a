import { type Secret, secretAt } from "../../../../src/contract/text/secrets.ts";
import { Button } from "../../kit/button.tsx";
import styles from "./secret.module.css";

export { type Secret, secretAt };

type Props = { secret: Secret; onTakeOut?: () => void; onKeep: () => void; keep: string };

/** Asks whether what looks like a secret is to be kept where assistants can read it. */
export function SecretQuestion({ secret: { what }, onTakeOut, onKeep, keep }: Props) {
  return (
    <div className={styles.question} role="alert">
      <p>
        This looks like {what}. Whoever may read your records and documents, such as an assistant, can read
        it, too: a password manager is the safer place.
      </p>
      {onTakeOut && (
        <Button kind="primary" onPress={onTakeOut}>
          Take it out
        </Button>
      )}
      <Button onPress={onKeep}>{keep}</Button>
    </div>
  );
}

/** A text without its secret. */
export const without = (text: string, { at, length }: Secret): string =>
  `${text.slice(0, at)}${text.slice(at + length)}`;
