import { useState } from "react";
import { uploadAccountFiles, withNewFileIds } from "../../../../src/shared/import/account.ts";
import type { Import, ImportMode } from "../../api/import.ts";
import { type AccountExportFile, collectFile } from "./account-export.ts";
import { ArchiveUpload } from "./archive-upload.tsx";
import { clientFor } from "./client.ts";
import { CountedList } from "./lists.tsx";
import { ImportProgressPanel } from "./progress.tsx";
import { useQueryOnce } from "./query-once.ts";
import styles from "./transfer.module.css";

type Step = { done: number; total: number };

type BringingProps = AccountExportFile & {
  mode: ImportMode;
  /** The import to resume. */
  earlier?: Import;
  onClose: () => void;
};

/**
 * Uploads the files of an account, and then its lines with the ids of the uploaded files. After a restart, the files exist
 * and the lines are the same.
 */
export default function AccountUpload({ name, account, onClose, ...sendingProps }: BringingProps) {
  const [step, setStep] = useState<Step>({ done: 0, total: 0 });
  const { data, error, refetch } = useQueryOnce("import-files", async (signal) => {
    const onProgress = (done: number, total: number) => setStep({ done, total });
    const { ids, refused } = await uploadAccountFiles(clientFor({ signal }), account, onProgress);
    return { refused, file: await collectFile(name, withNewFileIds(account.lines(), ids), signal) };
  });
  if (!data)
    return (
      <ImportProgressPanel
        label="Uploading files"
        {...step}
        problem={error}
        retry={() => void refetch()}
        onClose={onClose}
      />
    );
  const { refused, file } = data;
  return (
    <>
      <ul className={styles.summary}>
        <CountedList kind="refused" isOpen text="not uploaded" lines={refused} />
      </ul>
      <ArchiveUpload file={file} {...sendingProps} onClose={onClose} />
    </>
  );
}
