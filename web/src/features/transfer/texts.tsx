import { useEffect, useId, useMemo, useRef, useState } from "react";
import {
  readExistingFilesFor,
  uploadItemFiles,
  withoutFiles,
} from "../../../../src/shared/import/attachments.ts";
import type { ApiClient } from "../../../../src/shared/import/client.ts";
import type { FileEntries } from "../../../../src/shared/import/entries.ts";
import { FolderTree } from "../../../../src/shared/import/folders.ts";
import { readImportedDocuments } from "../../../../src/shared/import/imported.ts";
import type { FoundEntry } from "../../../../src/shared/import/item.ts";
import { importExportFile, readTasksFor } from "../../../../src/shared/import/records/import-tasks.ts";
import type { TaskFile } from "../../../../src/shared/import/records/read-tasks.ts";
import type { ExistingFiles } from "../../../../src/shared/import/upload.ts";
import { serviceTime } from "../../api/export.ts";
import { randomId } from "../../api/random-id.ts";
import { Button } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { Problem } from "../../kit/states.tsx";
import { clientFor } from "./client.ts";
import { shareText, startImport } from "./import-status.ts";
import { countText } from "./lists.tsx";
import { ImportOptions } from "./options.tsx";
import type { Picked } from "./picked.ts";
import {
  type AccountSnapshot,
  newImportJob,
  parseTarget,
  planAccountImport,
  planBatches,
  summarizePlan,
} from "./plan.ts";
import { ImportProgressPanel } from "./progress.tsx";
import { useQueryOnce } from "./query-once.ts";
import { readPickedFiles } from "./read.ts";
import { SummaryList } from "./summary.tsx";
import { RecognizedTasks } from "./tasks.tsx";
import styles from "./transfer.module.css";

type Step = { label: string; done: number; total: number };
type Read = {
  found: FoundEntry[];
  entries: FileEntries;
  existingFiles: ExistingFiles | undefined;
  account: AccountSnapshot;
  /** The tasks among the texts, which become records. */
  tasks: TaskFile | undefined;
};

async function readAll(picked: Picked, signal: AbortSignal, onStep: (step: Step) => void): Promise<Read> {
  const onProgress = (label: string) => (done: number, total: number) => onStep({ label, done, total });
  const { found, entries, tasks } = await readPickedFiles(picked, {
    signal,
    onProgress: onProgress("Reading your files"),
  });
  const client = clientFor({ signal });
  const existingFiles = await readExistingFilesFor(client, found);
  const imported = await readImportedDocuments(client, onProgress("Comparing with what you imported before"));
  const account = { imported, tree: await FolderTree.read(client), now: await serviceTime() };
  return {
    found: existingFiles ? found : withoutFiles(found),
    entries,
    existingFiles,
    account,
    tasks: tasks?.length ? await readTasksFor(client, tasks, account.now) : undefined,
  };
}

const NO_FILES: ExistingFiles = { ids: new Map(), sizes: new Set(), thumbnails: new Map() };

/** Imports the tasks among the texts. */
async function importTasks(tasks: TaskFile | undefined, client: ApiClient) {
  if (!tasks) return { records: 0, skipped: 0, notes: [] };
  const { memories, not_stored } = await importExportFile(client, tasks.file);
  const notes = [
    ...not_stored.items.map(({ title, detail }) => ({ where: "Tasks", why: `${title}: ${detail}` })),
    ...tasks.notes.map(({ where, note }) => ({ where, why: note })),
  ];
  return { records: memories.created, skipped: memories.skipped, notes };
}

/** A signal that is aborted on unmount. */
function useUnmountSignal(): () => AbortSignal {
  const stop = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    stop.current = controller;
    return () => controller.abort();
  }, []);
  return () => stop.current.signal;
}

type ReadyProps = Read & { isZip: boolean; onClose: () => void };

function Ready({ found, entries, existingFiles, account, tasks, isZip, onClose }: ReadyProps) {
  const [folder, setFolder] = useState("");
  const [tags, setTags] = useState("");
  const [isStarting, setStarting] = useState(false);
  const [uploaded, setUploaded] = useState<Step>();
  const [problem, setProblem] = useState<Error>();
  const countFiles = () => existingFiles?.ids.size ?? 0;
  const [filesBefore] = useState(countFiles);
  const unmountSignal = useUnmountSignal();
  const title = useId();
  const plan = useMemo(
    () => planAccountImport(found, account, parseTarget(folder, tags)),
    [found, account, folder, tags],
  );
  const summary = useMemo(() => summarizePlan(plan, account), [plan, account]);
  const start = async () => {
    setStarting(true);
    setProblem(undefined);
    try {
      const items = plan.steps.flatMap(({ kind, item }) => (kind === "skip" ? [] : [item]));
      const onProgress = (done: number, total: number) =>
        setUploaded({ label: "Uploading files", done, total });
      const client = clientFor({ signal: unmountSignal() });
      const uploadOptions = { entries, existingFiles: existingFiles ?? NO_FILES, onProgress };
      const { ids, refused } = await uploadItemFiles(client, items, uploadOptions);
      const batches = planBatches(plan, account, ids);
      const { records, skipped, notes } = await importTasks(tasks, client);
      const result = {
        ...summary,
        refused: [...summary.refused, ...refused, ...(tasks?.refused ?? [])],
        notes: [...summary.notes, ...notes],
      };
      const job = newImportJob(result, batches, {
        id: randomId(),
        files: countFiles() - filesBefore,
        records,
      });
      await startImport({ ...job, skipped: job.skipped + skipped }, batches);
      onClose();
    } catch (refused) {
      setProblem(refused as Error);
      setStarting(false);
    }
  };
  if (isStarting && uploaded)
    return <ImportProgressPanel {...uploaded} text={shareText(uploaded)} onClose={onClose} />;
  return (
    <>
      <ImportOptions paths={account.tree.entries()} onFolder={setFolder} onTags={setTags} />
      <div className={styles.result} aria-live="polite">
        <h3 id={title}>What will happen</h3>
        <SummaryList summary={summary} labelledBy={title} />
        {tasks && <RecognizedTasks read={tasks} />}
        {isZip && (
          <p className={styles.quiet}>
            Browsers can’t see when the files in a zip were written. Dates come from front matter; without it,
            today is used.
          </p>
        )}
      </div>
      {problem && <Problem problem={problem} />}
      <Actions>
        <Button onPress={onClose}>Choose other files</Button>
        {(summary.writes > 0 || tasks) && (
          <Button kind="primary" onPress={start} isDisabled={isStarting}>
            Import {countText(summary.writes, "document")}
            {tasks && ` and ${countText(tasks.understood.length, "task")}`}
          </Button>
        )}
      </Actions>
    </>
  );
}

type Props = { picked: Picked; onClose: () => void };

export default function TextsImport({ picked, onClose }: Props) {
  const [step, setStep] = useState<Step>({
    label: "Reading your files",
    done: 0,
    total: picked.files.length,
  });
  const { data, error, refetch } = useQueryOnce("import-reading", (signal) =>
    readAll(picked, signal, setStep),
  );
  const isZip = picked.files.some(({ path }) => /^[^/]+\.zip$/i.test(path));
  if (data) return <Ready {...data} isZip={isZip} onClose={onClose} />;
  return (
    <ImportProgressPanel
      {...step}
      text={shareText(step)}
      problem={error}
      retry={() => void refetch()}
      onClose={onClose}
    />
  );
}
