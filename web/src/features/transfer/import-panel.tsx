import { useId } from "react";
import { screenPath } from "../../../../src/contract/paths.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { continueImport, dismissImport, shareText, stopImport, useImportStatus } from "./import-status.ts";
import { CountedList, countText, pluralize } from "./lists.tsx";
import { Progress } from "./progress.tsx";
import type { ImportJob } from "./queue.ts";
import { EXPANDED_NOTES } from "./summary.tsx";
import styles from "./transfer.module.css";

const Running = ({ job, waiting }: { job: ImportJob; waiting: string | undefined }) => (
  <>
    <Progress label="Importing" done={job.done} total={job.total} text={shareText(job)} />
    <p className={styles.quiet} role="status">
      {waiting ? `${waiting}. The import continues automatically as soon as it can.` : stayText(job)}
    </p>
    <Actions>
      <Button onPress={stopImport}>Stop</Button>
    </Actions>
  </>
);

const stayText = ({ isFleeting }: ImportJob) =>
  isFleeting
    ? "Keep this page open. This browser doesn’t store anything between visits."
    : "You can keep working in the app. If you close this page, the import continues when you come back.";

const Stopped = ({ job }: { job: ImportJob }) => (
  <>
    <p role="status">
      <strong>Stopped at {shareText(job)}.</strong> {job.problem}
    </p>
    <Outcome job={job} />
    <Actions>
      <ConfirmButton
        title="Discard the rest of this import?"
        text="What was imported stays. If you import the same files again later, only what’s missing is imported."
        verb="Discard the rest"
        act={dismissImport}
      >
        Discard the rest…
      </ConfirmButton>
      <Button kind="primary" onPress={continueImport}>
        Continue
      </Button>
    </Actions>
  </>
);

function Outcome({ job }: { job: ImportJob }) {
  const { counts, skipped, leftOut, notes, refused } = job;
  const { files = 0, records = 0 } = counts;
  return (
    <ul className={styles.summary} aria-label="What was imported">
      <CountedList count={counts.created} text={`${pluralize(counts.created, "document")} created`} />
      <CountedList
        count={counts.updated}
        text={`${pluralize(counts.updated, "document")} updated or moved`}
      />
      <CountedList count={counts.trashed} text="moved to the trash" />
      <CountedList count={files} text={pluralize(files, "file")} />
      <CountedList count={records} text={`${pluralize(records, "record")} created from tasks`} />
      <CountedList kind="quiet" count={skipped} text="skipped: already there and unchanged" />
      <CountedList
        kind="quiet"
        text={pluralize(notes.length, "note")}
        lines={notes}
        isOpen={notes.length <= EXPANDED_NOTES}
      />
      <CountedList kind="refused" isOpen text="failed" lines={refused} />
      {leftOut && <li className={styles.aside}>Left out: {leftOut}.</li>}
    </ul>
  );
}

function Written({ job: { documents, counts } }: { job: ImportJob }) {
  const title = useId();
  if (documents.length === 0) return null;
  const more = counts.created + counts.updated - documents.length;
  return (
    <div className={styles.written}>
      <h4 id={title}>Imported documents</h4>
      <ul aria-labelledby={title}>
        {documents.map((document) => (
          <li key={document.id}>
            <a href={`/documents/${document.id}`}>{document.title}</a>
          </li>
        ))}
        {more > 0 && (
          <li>
            <a href="/documents?sort=created">… and {countText(more, "other")}</a>
          </li>
        )}
      </ul>
    </div>
  );
}

const Done = ({ job }: { job: ImportJob }) => (
  <>
    <h3>{job.refused.length > 0 ? "Import finished, except for the items below" : "Import finished"}</h3>
    <Outcome job={job} />
    <Written job={job} />
    <Actions>
      <ButtonLink href={`${screenPath("activity")}?actor=import`}>Undo in Activity</ButtonLink>
      <ButtonLink href={importedFolderPath(job)}>Show the documents</ButtonLink>
      <Button kind="primary" onPress={dismissImport}>
        Done
      </Button>
    </Actions>
  </>
);

/** The link to the folder of the imported documents, if they share one. */
function importedFolderPath({ folderIds }: ImportJob): string {
  const paths = Object.keys(folderIds).sort((a, b) => a.length - b.length);
  const top = paths[0] ? folderIds[paths[0]] : null;
  return top && paths.length === 1 ? `/documents?folder=${top}` : "/documents";
}

export function ImportPanel() {
  const { job, waiting } = useImportStatus();
  if (!job) return null;
  return (
    <div className={styles.panel}>
      {job.state === "running" && <Running job={job} waiting={waiting} />}
      {job.state === "stopped" && <Stopped job={job} />}
      {job.state === "done" && <Done job={job} />}
    </div>
  );
}
