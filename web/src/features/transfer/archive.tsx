import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Import, type ImportMode, importsApi } from "../../api/import.ts";
import { isApiError } from "../../api/request.ts";
import { UserFacingError } from "../../api/user-facing-error.ts";
import { Button } from "../../kit/button.tsx";
import { Select } from "../../kit/choices.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { showJobElsewhere } from "../../state/jobs.ts";
import { readArchiveFacts } from "./archive-file.ts";
import { ArchiveUpload, UploadProgress } from "./archive-upload.tsx";
import { CountsTable, countWrites, NotStoredList } from "./counts-table.tsx";
import { formatBytes } from "./format-bytes.ts";
import { countText } from "./lists.tsx";
import { useQueryOnce } from "./query-once.ts";
import styles from "./transfer.module.css";
import { forgetFile, rememberFile, uploadArchive } from "./upload.ts";

const MODES: { value: ImportMode; text: string }[] = [
  { value: "skip", text: "Keep what’s here" },
  { value: "overwrite", text: "Replace it with the file’s version" },
  { value: "copy", text: "Keep it, and import everything as copies" },
];

type Check = { file: File; mode: ImportMode; signal: AbortSignal; onProgress: (importState: Import) => void };

/** Runs the import as a trial and deletes the uploaded file afterwards. */
async function check({ file, mode, signal, onProgress }: Check): Promise<Import> {
  let id: string | undefined;
  const onReceived = (importState: Import) => {
    if (id === undefined) showJobElsewhere(importState.id);
    id = importState.id;
    rememberFile({ id, name: file.name, size: file.size, dry_run: true });
    onProgress(importState);
  };
  try {
    return await uploadArchive({ file, query: { mode, dry_run: true }, signal, onProgress: onReceived });
  } finally {
    if (id) await importsApi.remove(id).catch(() => {});
    forgetFile();
  }
}

const Facts = ({ file }: { file: File }) => {
  const { data } = useQuery({
    queryKey: ["archive", file.name, file.size, file.lastModified],
    queryFn: () => readArchiveFacts(file),
  });
  return (
    <p>
      <strong>{file.name}</strong>, {formatBytes(file.size)}
      {data?.records !== undefined && <>, {countText(data.records, "item")}</>}
      {data?.exportedAt && (
        <>
          , exported <Moment at={data.exportedAt} />
        </>
      )}
    </p>
  );
};

const UNFINISHED = new UserFacingError(
  "Two imports are already unfinished. Go back and continue or cancel one of them first.",
);

type CheckedProps = { result: Import; onImport: () => void; onClose: () => void };

function Checked({ result, onImport, onClose }: CheckedProps) {
  const writes = countWrites(result);
  return (
    <>
      <div className={styles.result} aria-live="polite">
        <h3>What will happen</h3>
        <CountsTable result={result} isDone={false} />
        <NotStoredList result={result} />
        {writes === 0 && result.not_stored.total === 0 && (
          <p>Nothing to import. Everything is already there.</p>
        )}
      </div>
      <Actions>
        <Button onPress={onClose}>Choose other files</Button>
        {writes > 0 && (
          <Button kind="primary" onPress={onImport}>
            Import {countText(writes, "item")}
          </Button>
        )}
      </Actions>
    </>
  );
}

type Props = {
  file: File;
  /** Describes what the file was made from, instead of the facts of an export file. Existing items are then kept. */
  source?: ReactNode;
  /** Renders the upload, if more than the file is to be sent. */
  send?: (mode: ImportMode) => ReactNode;
  onClose: () => void;
};

export function ArchiveImport({ file, source, send, onClose }: Props) {
  const [mode, setMode] = useState<ImportMode>("skip");
  const [importState, setImportState] = useState<Import>();
  const [isSending, setSending] = useState(false);
  const { data, error, refetch } = useQueryOnce(`import-check ${mode}`, (signal) =>
    check({ file, mode, signal, onProgress: setImportState }),
  );
  if (isSending) return send?.(mode) ?? <ArchiveUpload file={file} mode={mode} onClose={onClose} />;
  return (
    <>
      {source ?? (
        <>
          <Facts file={file} />
          <div className={styles.mode}>
            <Select label="Items that already exist" value={mode} options={MODES} onChange={setMode} />
          </div>
        </>
      )}
      {error && <Problem problem={isApiError(error, 409) ? UNFINISHED : error} retry={refetch} />}
      {!error && !data && (
        <UploadProgress
          label="Checking the file. Nothing is imported yet."
          file={file}
          importState={importState}
        />
      )}
      {data ? (
        <Checked result={data} onImport={() => setSending(true)} onClose={onClose} />
      ) : (
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
        </Actions>
      )}
    </>
  );
}
