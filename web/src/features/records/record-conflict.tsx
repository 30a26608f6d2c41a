import type { ReactNode } from "react";
import type { Memory } from "../../api/memories.ts";
import { Button } from "../../kit/button.tsx";
import { Moment } from "../../kit/time.tsx";
import styles from "./record.module.css";
import { authorName } from "./record-events.tsx";

type RecordText = Pick<Memory, "topic" | "content">;
type Props = {
  mine: RecordText;
  theirs: Memory;
  keepMine: () => void;
  keepTheirs: () => void;
  keepBoth: () => void;
};

const Text = ({ title, text }: { title: ReactNode; text: RecordText }) => (
  <section className={styles.version}>
    <h3>{title}</h3>
    <p>
      <strong>{text.topic}</strong>
    </p>
    <p>{text.content}</p>
  </section>
);

/** Two versions of a record's text. Both are kept until the user decides. */
export const RecordConflict = ({ mine, theirs, keepMine, keepTheirs, keepBoth }: Props) => (
  <section className={styles.conflict} role="alert">
    <h2>This record changed while you were editing</h2>
    <p>Your version is safe in this browser until you choose.</p>
    <div className={styles.versions}>
      <Text title="Your version (not saved)" text={mine} />
      <Text
        title={
          <>
            Saved by {authorName(theirs)}, <Moment at={theirs.updated_at} />
          </>
        }
        text={theirs}
      />
    </div>
    <div className={styles.actions}>
      <Button kind="primary" onPress={keepBoth}>
        Keep both
      </Button>
      <Button onPress={keepMine}>Keep mine</Button>
      <Button onPress={keepTheirs}>Keep the saved version</Button>
    </div>
  </section>
);
