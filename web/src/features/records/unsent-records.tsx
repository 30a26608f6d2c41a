import { dueText } from "../../kit/dates.ts";
import { useToday } from "../../kit/time.tsx";
import { captures } from "../../state/captures.ts";
import { useWaiting } from "../../state/outbox.ts";
import styles from "./captured.module.css";

export function UnsentRecords() {
  const today = useToday();
  const waiting = useWaiting(captures);
  if (waiting.length === 0) return null;
  return (
    <ul className={styles.list} aria-label="Not synced yet">
      {waiting.map(({ key, record, refused }) => (
        <li key={key}>
          <span className={styles.topic} dir="auto">
            {record.topic}
          </span>
          {record.due_date && (
            <span className={styles.due}>
              {dueText(record.due_date, today)}
              {record.due_time && `, ${record.due_time}`}
            </span>
          )}
          <span className={styles.state}>{refused ? "Rejected" : "Not synced yet"}</span>
        </li>
      ))}
    </ul>
  );
}
