import type { ImportMode } from "../../api/import.ts";
import { ArchiveImport } from "./archive.tsx";
import Bringing, { Waiting } from "./bringing.tsx";
import { useOnce } from "./once.ts";
import { fileOf, type Whole } from "./whole-file.ts";

// A whole account as a zip: its files are uploaded first, and then the lines of its export are imported.

/** Imports a whole account, after a preview. */
export default function WholeImport({ name, account, onClose }: Whole & { onClose: () => void }) {
  const { data, error, refetch } = useOnce("import-lines", (signal) => fileOf(name, account.lines(), signal));
  if (!data)
    return <Waiting label="Reading the zip" problem={error} retry={() => void refetch()} onClose={onClose} />;
  const send = (mode: ImportMode) => <Bringing {...{ name, account, mode, onClose }} />;
  return <ArchiveImport file={data} send={send} onClose={onClose} />;
}
