import { Button } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { Problem } from "../../kit/states.tsx";
import { formatCount } from "../../kit/text.ts";
import styles from "./transfer.module.css";

type Props = {
  label: string;
  done: number;
  /** undefined if unknown. */
  total?: number | undefined;
  /** Shown above the bar. */
  text: string;
};

export const Progress = ({ label, done, total, text }: Props) => (
  <div className={styles.progress}>
    <span>{label}</span>
    <span className={styles.value}>{text}</span>
    <progress aria-label={label} {...(total !== undefined && { value: total === 0 ? 0 : done / total })} />
  </div>
);

type PanelProps = Partial<Pick<Props, "done" | "total" | "text">> & {
  label: string;
  problem?: Error | null;
  retry?: () => void;
  onClose: () => void;
};

/** The progress of an import, or why it failed, with a button that cancels. */
export const ImportProgressPanel = ({
  label,
  done = 0,
  total,
  text = total === undefined ? "" : `${formatCount(done)} of ${formatCount(total)}`,
  problem,
  retry,
  onClose,
}: PanelProps) => (
  <div className={styles.panel}>
    {problem ? <Problem problem={problem} retry={retry} /> : <Progress {...{ label, done, total, text }} />}
    <Actions>
      <Button onPress={onClose}>Cancel</Button>
    </Actions>
  </div>
);
