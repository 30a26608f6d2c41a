import { Label, ProgressBar } from "react-aria-components";
import styles from "./transfer.module.css";

type Props = {
  label: string;
  done: number;
  /** undefined if unknown. */
  total?: number | undefined;
  /** Shown beside the bar; the percentage by default. */
  text?: string;
};

/** "1,200 of 4,000" */
export const shareText = ({ done, total }: { done: number; total: number }) =>
  `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;

export const Progress = ({ label, done, total, text }: Props) => (
  <ProgressBar
    className={styles.progress}
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
