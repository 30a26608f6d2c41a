import { SKIPPED, tally } from "../../../../src/contract/import/words.ts";
import { Counted, plural } from "./lists.tsx";
import type { Summary } from "./plan.ts";
import styles from "./transfer.module.css";

/** So few notes are shown at once. */
const FEW = 5;

type Props = { summary: Summary; labelledBy: string };

/** What an import would do, number by number. */
export function SummaryList({ summary, labelledBy }: Props) {
  const { created, updated, moved, trashed, folders, skipped, leftOut, refused, notes } = summary;
  const reasons = tally(leftOut.map((one) => one.leftOut));
  return (
    <>
      {summary.writes === 0 && <p>There is nothing to import: {nothingBecause(summary)}</p>}
      <ul className={styles.summary} aria-labelledby={labelledBy}>
        <Counted count={created.length} text={`new ${plural(created.length, "document")}`} lines={created} />
        <Counted
          count={updated.length}
          text="to update: the file has changed since you imported it. The earlier text stays among the versions."
          lines={updated}
        />
        <Counted count={moved.length} text="to move to another folder" lines={moved} />
        <Counted
          count={trashed.length}
          text="to the trash: an earlier import was interrupted and wrote them twice"
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
          isOpen={notes.length <= FEW}
        />
        <Counted kind="refused" isOpen count={refused.length} text="cannot be imported" lines={refused} />
      </ul>
    </>
  );
}

function nothingBecause({ skipped, leftOut, refused }: Summary): string {
  if (skipped.length > 0) return "everything is already there and unchanged.";
  if (leftOut.length + refused.length > 0) return "none of these files can become a document.";
  return "it holds no texts.";
}
