import type { ReactNode } from "react";
import type { Memory } from "../../api/memories.ts";
import { Button } from "../../kit/button.tsx";
import { Moment } from "../../kit/time.tsx";
import styles from "./record.module.css";
import { whoOf } from "./record-events.tsx";

type Said = Pick<Memory, "topic" | "content">;
type Props = {
  mine: Said;
  theirs: Memory;
  keepMine: () => void;
  keepTheirs: () => void;
  keepBoth: () => void;
};

const Text = ({ title, said }: { title: ReactNode; said: Said }) => (
  <section className={styles.version}>
    <h3>{title}</h3>
    <p>
      <strong>{said.topic}</strong>
    </p>
    <p>{said.content}</p>
  </section>
);

/** Two texts of one record: both are kept until a person has decided. */
export const Conflict = ({ mine, theirs, keepMine, keepTheirs, keepBoth }: Props) => (
  <section className={styles.conflict} role="alert">
    <h2>The record changed while you wrote</h2>
    <p>Both texts are here. Your draft stays in this browser until you choose.</p>
    <div className={styles.versions}>
      <Text title="Yours, not saved" said={mine} />
      <Text
        title={
          <>
            Saved by {whoOf(theirs)}, <Moment at={theirs.updated_at} />
          </>
        }
        said={theirs}
      />
    </div>
    <div className={styles.actions}>
      <Button kind="primary" onPress={keepBoth}>
        Put both together
      </Button>
      <Button onPress={keepMine}>Save mine</Button>
      <Button onPress={keepTheirs}>Keep the saved one</Button>
    </div>
  </section>
);
