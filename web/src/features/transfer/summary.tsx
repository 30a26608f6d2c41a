import { tallyReasons, UNCHANGED_REASON } from "../../../../src/shared/import/tally.ts";
import { CountedList, pluralize } from "./lists.tsx";
import type { ImportSummary } from "./plan.ts";
import styles from "./transfer.module.css";

/** Up to this many notes are initially expanded. */
export const EXPANDED_NOTES = 5;

type Props = { summary: ImportSummary; labelledBy: string };

export function SummaryList({ summary, labelledBy }: Props) {
  const { created, updated, moved, renamed, trashed, folders, files } = summary;
  const { skipped, leftOut, refused, notes } = summary;
  const reasons = tallyReasons(leftOut.map((one) => one.leftOut));
  return (
    <>
      {summary.writes === 0 && <p>Nothing to import. {whyNothing(summary)}</p>}
      <ul className={styles.summary} aria-labelledby={labelledBy}>
        <CountedList text={`new ${pluralize(created.length, "document")}`} lines={created} />
        <CountedList
          text="to update: the file has changed since you imported it. The earlier text is kept as a version."
          lines={updated}
        />
        <CountedList text="to move to another folder" lines={moved} />
        <CountedList text="whose file was renamed" lines={renamed} />
        <CountedList
          text="to move to the trash: an interrupted import had written them twice"
          lines={trashed}
        />
        <CountedList text={`new ${pluralize(folders.length, "folder")}`} lines={folders} />
        <CountedList
          text={`${pluralize(files.length, "file that belongs", "files that belong")} to them`}
          lines={files}
        />
        <CountedList kind="quiet" text={`skipped: ${UNCHANGED_REASON}`} lines={skipped} />
        <CountedList
          kind="quiet"
          text={`left out: ${reasons}`}
          lines={leftOut.map(({ where, leftOut: why }) => ({ where, why }))}
        />
        <CountedList
          kind="quiet"
          text={pluralize(notes.length, "note")}
          lines={notes}
          isOpen={notes.length <= EXPANDED_NOTES}
        />
        <CountedList kind="refused" isOpen text="cannot be imported" lines={refused} />
      </ul>
    </>
  );
}

function whyNothing({ skipped, leftOut, refused }: ImportSummary): string {
  if (skipped.length > 0) return "Everything is already there and unchanged.";
  if (leftOut.length + refused.length > 0) return "None of these files can become a document.";
  return "There are no texts in it.";
}
