import { type FoundSecret, findSecret } from "../../../../src/shared/text/secrets.ts";
import { Button } from "../../kit/button.tsx";
import styles from "./secret.module.css";

export { type FoundSecret as Secret, findSecret as secretAt };

type Props = { secret: FoundSecret; onRemove?: () => void; onKeep: () => void; keep: string };

/** Asks whether to keep text that looks like a secret where assistants can read it. */
export function SecretQuestion({ secret: { what }, onRemove, onKeep, keep }: Props) {
  return (
    <div className={styles.question} role="alert">
      <p>
        This looks like {what}. Anyone with access to your records and documents, such as an assistant, can
        read it. A password manager is safer.
      </p>
      {onRemove && (
        <Button kind="primary" onPress={onRemove}>
          Remove it
        </Button>
      )}
      <Button onPress={onKeep}>{keep}</Button>
    </div>
  );
}

export const removeSecret = (text: string, { at, length }: FoundSecret): string =>
  `${text.slice(0, at)}${text.slice(at + length)}`;
