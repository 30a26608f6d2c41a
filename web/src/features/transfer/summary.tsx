import { SKIPPED, tally } from "../../../../src/contract/import/words.ts";
import { Counted, plural } from "./lists.tsx";
import type { Summary } from "./plan.ts";
import styles from "./transfer.module.css";

/** Up to this many notes are initially expanded. */
const EXPANDED_NOTES = 5;

type Props = { summary: Summary; labelledBy: string };

/** The counts of what an import would do. */
export function SummaryList({ summary, labelledBy }: Props) {
  const { created, updated, moved, trashed, folders, skipped, leftOut, refused, notes } = summary;
  const reasons = tally(leftOut.map((one) => one.leftOut));
  return (
    <>
      {summary.writes === 0 && <p>Nothing to import. {whyNothing(summary)}</p>}
      <ul className={styles.summary} aria-labelledby={labelledBy}>
        <Counted count={created.length} text={`new ${plural(created.length, "document")}`} lines={created} />
        <Counted
          count={updated.length}
          text="to update: the file has changed since you imported it. The earlier text is kept as a version."
          lines={updated}
        />
        <Counted count={moved.length} text="to move to another folder" lines={moved} />
        <Counted
          count={trashed.length}
          text="to move to the trash: an interrupted import had written them twice"
          lines={trashed}
        />
        <Counted count={folders.length} text={`new ${plural(folders.length, "folder")}`} lines={folders} />
        <Counted kind="quiet" count={skipped.length} text={`skipped: ${SKIPPED}`} lines={skipped} />
        <Counted
          kind="quiet"
          count={leftOut.length}
          text={`left out: ${reasons}`}
          lines={leftOut.map(({ where, leftOut: why }) => ({ where, why }))}
        />
        <Counted
          kind="quiet"
          count={notes.length}
          text={plural(notes.length, "note")}
          lines={notes}
          isOpen={notes.length <= EXPANDED_NOTES}
        />
        <Counted kind="refused" isOpen count={refused.length} text="cannot be imported" lines={refused} />
      </ul>
    </>
  );
}

function whyNothing({ skipped, leftOut, refused }: Summary): string {
  if (skipped.length > 0) return "Everything is already there and unchanged.";
  if (leftOut.length + refused.length > 0) return "None of these files can become a document.";
  return "There are no texts in it.";
}
