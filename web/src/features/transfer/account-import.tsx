import type { ImportMode } from "../../api/import.ts";
import { type AccountExportFile, collectFile } from "./account-export.ts";
import AccountUpload from "./account-upload.tsx";
import { ArchiveImport } from "./archive.tsx";
import { ImportProgressPanel } from "./progress.tsx";
import { useQueryOnce } from "./query-once.ts";

// A whole account as a zip: its files are uploaded first, and then the lines of its export are imported.

export default function AccountImport({
  name,
  account,
  onClose,
}: AccountExportFile & { onClose: () => void }) {
  const { data, error, refetch } = useQueryOnce("import-lines", (signal) =>
    collectFile(name, account.lines(), signal),
  );
  if (!data)
    return (
      <ImportProgressPanel
        label="Reading the zip"
        problem={error}
        retry={() => void refetch()}
        onClose={onClose}
      />
    );
  const send = (mode: ImportMode) => <AccountUpload {...{ name, account, mode, onClose }} />;
  return <ArchiveImport file={data} send={send} onClose={onClose} />;
}
