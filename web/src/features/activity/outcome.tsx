import { Link } from "wouter";
import type { RecordState, UndoResult } from "../../api/activity.ts";
import { Button } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { BeforeAfter } from "../document/before-after.tsx";
import { recordStateTexts } from "../records/version-fields.ts";
import styles from "./activity.module.css";
import { changedItemUrl, kindName } from "./group.ts";
import { changeCountText } from "./undo.ts";
import { isUndone } from "./undo-batches.ts";

const PRESENCE_TEXTS = { present: "", trashed: "In the trash", gone: "Permanently deleted" };

const stateFields = ({ title, presence, version: _, ...state }: RecordState): Record<string, string> => ({
  Title: title ?? "",
  Place: PRESENCE_TEXTS[presence],
  ...recordStateTexts(state),
});

/** Compares the current state with the state that the undo would have restored. */
function StateComparison({ current, previous }: { current: RecordState; previous: RecordState }) {
  const [is, was] = [stateFields(current), stateFields(previous)];
  const fields = Object.keys(is).map((name) => ({ name, before: was[name] ?? "", after: is[name] ?? "" }));
  const text = { kind: "text" as const, before: previous.content ?? "", after: current.content ?? "" };
  return <BeforeAfter fields={fields} text={text} />;
}

function NotUndone({ result }: { result: UndoResult }) {
  const { kind, record_id, title, detail, current, previous } = result;
  return (
    <li className={styles.kept}>
      <p>
        {kind && record_id ? (
          <Link href={changedItemUrl({ kind, record_id })}>{title ?? kindName(kind)}</Link>
        ) : (
          `Change ${result.id}`
        )}
      </p>
      <p className={styles.quiet}>{detail}</p>
      {current && previous && <StateComparison current={current} previous={previous} />}
    </li>
  );
}

/** Changes that were not, or would not be, undone, with reasons. */
export const NotUndoneList = ({ results }: { results: readonly UndoResult[] }) => (
  <ul aria-label="Unchanged">
    {results.map((result) => (
      <NotUndone key={result.id} result={result} />
    ))}
  </ul>
);

/** A dialog about changes that were not undone; closed if there are none. */
export function UndoOutcome({ results, onClose }: { results: readonly UndoResult[]; onClose: () => void }) {
  const kept = results.filter((result) => !isUndone(result));
  return (
    <Dialog title={`Not undone: ${changeCountText(kept.length)}`} isOpen={kept.length > 0} onClose={onClose}>
      <NotUndoneList results={kept} />
      <Actions>
        <Button kind="primary" onPress={onClose}>
          Close
        </Button>
      </Actions>
    </Dialog>
  );
}
