import { Label, ProgressBar } from "react-aria-components";
import styles from "./transfer.module.css";

type Props = {
  label: string;
  done: number;
  /** Without it, nobody knows how long it takes. */
  total?: number | undefined;
  /** Beside the bar; the share in per cent if absent. */
  text?: string;
};

/** How far something is. */
export const Progress = ({ label, done, total, text }: Props) => (
  <ProgressBar
    className={styles.progress ?? ""}
    isIndeterminate={total === undefined}
    value={total === undefined || total === 0 ? 0 : (100 * done) / total}
    {...(text !== undefined && { valueLabel: text })}
  >
    {({ percentage, valueText, isIndeterminate }) => (
      <>
        <Label>{label}</Label>
        <span className={styles.value}>{isIndeterminate ? text : valueText}</span>
        <div className={styles.bar}>
          <div
            className={isIndeterminate ? styles.moving : styles.fill}
            style={{ width: isIndeterminate ? "30%" : `${percentage}%` }}
          />
        </div>
      </>
    )}
  </ProgressBar>
);
