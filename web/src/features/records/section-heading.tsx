import { IconButton } from "../../kit/button.tsx";
import { ChevronRight, Plus } from "../../kit/icons.tsx";
import { formatCount } from "../../kit/text.ts";
import { toggleFolded } from "../../state/folded.ts";
import styles from "./record-list.module.css";
import type { RecordItem } from "./row.ts";
import type { RecordSection } from "./section.ts";
import type { RecordActionName } from "./step-actions.ts";
import { WholeButton } from "./whole-button.tsx";

const Count = ({ count }: { count: number }) => (
  <>
    {" "}
    <span className={styles.count}>{formatCount(count)}</span>
    <span className="visually-hidden">{count === 1 ? " record" : " records"}</span>
  </>
);

type Props = {
  section: RecordSection;
  isFolded: boolean;
  onStep: (rows: readonly RecordItem[], action: RecordActionName) => void;
};

/** The title of a section, how many records it has, and what collapses it or acts on all of it. */
export function SectionHeading({ section, isFolded, onStep }: Props) {
  const { title, fold, tone, hint, whole, onNew, total = section.rows.length } = section;
  const count = total !== "unknown" && <Count count={total} />;
  return (
    <div className={styles.heading} data-tone={tone}>
      <h2>
        {fold ? (
          <button
            type="button"
            className={styles.fold}
            aria-expanded={!isFolded}
            onClick={() => toggleFolded(fold)}
          >
            <ChevronRight size="1rem" />
            {title}
            {count}
          </button>
        ) : (
          <>
            {title}
            {count}
          </>
        )}
      </h2>
      {hint && <span className={styles.sectionHint}>{hint}</span>}
      {whole && (
        <WholeButton name={whole.name} read={whole.read} onRead={(rows) => onStep(rows, whole.action)} />
      )}
      {onNew && (
        <IconButton label={`New record on ${title}`} onPress={onNew}>
          <Plus />
        </IconButton>
      )}
    </div>
  );
}
