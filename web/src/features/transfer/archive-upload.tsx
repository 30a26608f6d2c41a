import { useEffect, useRef, useState } from "react";
import { type Import, type ImportMode, importsApi } from "../../api/import.ts";
import type { Job } from "../../api/jobs.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { Problem } from "../../kit/states.tsx";
import { AFTER_CANCEL, jobProgressText } from "../../state/job-texts.ts";
import { showJobElsewhere, trackImport, useJobs } from "../../state/jobs.ts";
import { refreshDocuments, refreshMemories, refreshResources } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import { CountsTable, countWrites, NotStoredList } from "./counts-table.tsx";
import { formatBytes } from "./format-bytes.ts";
import { countText } from "./lists.tsx";
import { Progress } from "./progress.tsx";
import styles from "./transfer.module.css";
import { forgetFile, ImportEnded, rememberFile, uploadArchive, waitUntilApplied } from "./upload.ts";

type Props = {
  mode: ImportMode;
  /** The file; undefined if all of it has been received. */
  file?: File;
  earlier?: Import;
  onClose: () => void;
};

const isComplete = (importState: Import, file: File | undefined) =>
  file === undefined || importState.status !== "uploading";

function send(
  { file, mode, earlier }: Props,
  waiting: Parameters<typeof waitUntilApplied>[1],
): Promise<Import> {
  if (file) return uploadArchive({ ...waiting, file, query: { mode, dry_run: false }, earlier });
  return waitUntilApplied(earlier?.id ?? "", waiting);
}

/** The job of the import. While this is shown, the jobs bar does not show it. */
function useImportJob(importState: Import | undefined) {
  const id = importState?.id;
  const isApplied = importState?.status === "applying";
  useEffect(() => (id ? showJobElsewhere(id) : undefined), [id]);
  useEffect(() => {
    if (id && isApplied) trackImport(id);
  }, [id, isApplied]);
  return useJobs().find((job) => job.id === id);
}

const refreshAll = () =>
  Promise.all([refreshDocuments(), refreshMemories(), refreshResources("me", "imports")]);

/** Uploads the file once per mount and retry. */
function useSending(props: Props) {
  const [importState, setImportState] = useState<Import | undefined>(props.earlier);
  const [waiting, setWaiting] = useState<string>();
  const [problem, setProblem] = useState<Error>();
  const [attempt, setAttempt] = useState(0);
  const latest = useRef({ props, importState });
  latest.current = { props, importState };
  // biome-ignore lint/correctness/useExhaustiveDependencies: every attempt uploads once, with the latest props
  useEffect(() => {
    const stop = new AbortController();
    const { file } = latest.current.props;
    const onProgress = (next: Import) => {
      setImportState(next);
      if (file) rememberFile({ id: next.id, name: file.name, size: file.size, dry_run: false });
    };
    const sent = { ...latest.current.props, earlier: latest.current.importState } as Props;
    setProblem(undefined);
    const start = async () => {
      try {
        setImportState(await send(sent, { signal: stop.signal, onWait: setWaiting, onProgress }));
        forgetFile();
        toast({ text: "Import finished" });
        await refreshAll();
      } catch (refused) {
        if (stop.signal.aborted) return;
        setProblem(refused as Error);
        if (refused instanceof ImportEnded) {
          setImportState(undefined);
          forgetFile();
          await refreshResources("imports");
        }
      }
    };
    // React's strict mode mounts twice in development: the first mount must not upload anything.
    const timer = setTimeout(start);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [attempt]);
  return { importState, waiting, problem, retry: () => setAttempt(attempt + 1) };
}

const Done = ({ result, onClose }: { result: Import; onClose: () => void }) => (
  <>
    <h3>Import finished</h3>
    <CountsTable result={result} isDone />
    <NotStoredList result={result} />
    <Actions>
      <ButtonLink href="/documents">Show the documents</ButtonLink>
      <ButtonLink href="/records">Show the records</ButtonLink>
      <Button kind="primary" onPress={onClose}>
        Done
      </Button>
    </Actions>
  </>
);

const Applying = ({ importState, job }: { importState: Import; job: Job | undefined }) => {
  if (job && job.total !== null)
    return <Progress label="Importing" done={job.done} total={job.total} text={jobProgressText(job)} />;
  const count = countWrites(importState);
  return <Progress label="Importing" done={0} text={count > 0 ? `${countText(count, "item")} so far` : ""} />;
};

const Cancel = ({ id, onClose }: { id: string; onClose: () => void }) => (
  <ConfirmButton
    title="Cancel this import?"
    text={AFTER_CANCEL.import}
    keep="Keep importing"
    verb="Cancel import"
    act={async () => {
      await importsApi.remove(id);
      forgetFile();
      onClose();
      toast({ text: "Import cancelled" });
      await refreshAll();
    }}
  >
    Cancel
  </ConfirmButton>
);

type RefusedProps = Pick<Props, "file" | "onClose"> & { problem: Error; retry: () => void };

function Refused({ problem, file, retry, onClose }: RefusedProps) {
  // An import that no longer exists cannot restart without its file.
  const canRetry = file !== undefined || !(problem instanceof ImportEnded);
  return (
    <>
      <Problem problem={problem} {...(canRetry && { retry })} />
      <Actions>
        <Button onPress={onClose}>Back</Button>
      </Actions>
    </>
  );
}

type ProgressProps = { label: string; file: File; importState: Import | undefined };

export const UploadProgress = ({ label, file, importState }: ProgressProps) => (
  <Progress
    label={label}
    done={importState?.received ?? 0}
    total={file.size}
    text={`${formatBytes(importState?.received ?? 0)} of ${formatBytes(file.size)}`}
  />
);

type WaitingProps = Pick<Props, "file" | "onClose"> & {
  importState: Import | undefined;
  waiting: string | undefined;
};

const Uploading = ({ file, importState, waiting, onClose }: WaitingProps) => (
  <>
    {file && <UploadProgress label={`Uploading ${file.name}`} file={file} importState={importState} />}
    <Hint waiting={waiting}>
      What has been uploaded is kept. If you leave this screen, you can continue here later.
    </Hint>
    <Actions>
      <Button onPress={onClose}>Stop</Button>
    </Actions>
  </>
);

const Hint = ({ waiting, children }: { waiting: string | undefined; children: string }) => (
  <p className={styles.quiet} role="status">
    {waiting ? `${waiting}. It continues automatically as soon as it can.` : children}
  </p>
);

type AppliedProps = WaitingProps & { importState: Import; job: Job | undefined };

const BeingApplied = ({ importState, job, waiting, onClose }: AppliedProps) => (
  <>
    <Applying importState={importState} job={job} />
    <Hint waiting={waiting}>
      It continues automatically, even if you leave this screen or close the page.
    </Hint>
    <Actions>
      <Cancel id={importState.id} onClose={onClose} />
      <Button onPress={onClose}>Continue in background</Button>
    </Actions>
  </>
);

/** Uploads and imports an export file, and shows the result. */
export function ArchiveUpload(props: Props) {
  const { importState, waiting, problem, retry } = useSending(props);
  const job = useImportJob(importState);
  const { file, onClose } = props;
  if (importState?.status === "done") return <Done result={importState} onClose={onClose} />;
  if (problem) return <Refused {...{ problem, file, retry, onClose }} />;
  return (
    <div className={styles.panel}>
      {importState && isComplete(importState, file) ? (
        <BeingApplied {...{ file, importState, job, waiting, onClose }} />
      ) : (
        <Uploading {...{ file, importState, waiting, onClose }} />
      )}
    </div>
  );
}
