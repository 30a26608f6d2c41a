import { type ReactNode, useState } from "react";
import type { StoredFile } from "../../api/files.ts";
import { isTransientError } from "../../api/request.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { Download } from "../../kit/icons.tsx";
import { useMedia } from "../../kit/media.ts";
import { Problem } from "../../kit/states.tsx";
import { type PendingFile, usePendingFiles } from "../../state/pending-files.ts";
import { addFiles } from "./add.ts";
import { chooseFiles, saveFiles } from "./file-actions.ts";
import { safeFileName } from "./file-facts.ts";
import { MAX_LISTED, useAttachedFiles, useFilesUnavailable } from "./file-queries.ts";
import { Camera, Paperclip } from "./icons.tsx";
import { useObjectUrl } from "./local-files.ts";
import styles from "./of.module.css";
import { referencedFileIds } from "./reference.ts";
import tile from "./tile.module.css";
import { FileTile, FileTiles } from "./tile.tsx";

// The files of a document or record, shown below its text.

type AttachedTo = { document: string } | { record: number };

const apiTarget = (to: AttachedTo) =>
  "document" in to ? { document_id: to.document } : { memory_id: to.record };

const belongsTo = (to: AttachedTo, { to: its, isInText, id }: PendingFile) =>
  !isInText && !id && ("document" in to ? its.document === to.document : its.record === to.record);

/** A file that is only on this device. */
function PendingTile({ file }: { file: PendingFile }) {
  const isPicture = file.bytes.type.startsWith("image/");
  const address = useObjectUrl(isPicture ? file.bytes : undefined);
  return (
    <li className={tile.tile} data-waiting>
      <div className={tile.open}>
        <span className={tile.sign}>
          {address ? <img src={address} alt="" /> : <Paperclip aria-hidden="true" size="2rem" />}
        </span>
        <span className={tile.words}>
          <bdi className={tile.name}>{safeFileName(file.name)}</bdi>
          <small>{file.refused ? "Upload failed" : "Waiting to upload"}</small>
        </span>
      </div>
      {file.refused && <p>{file.refused}</p>}
    </li>
  );
}

type AreaProps = { onFiles: (files: File[]) => void; children: ReactNode };

const hasFiles = ({ dataTransfer }: React.DragEvent) => dataTransfer.types.includes("Files");

export function FileDropArea({ onFiles, children }: AreaProps) {
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same
    <div
      className={styles.area}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!hasFiles(event)) return;
        event.preventDefault();
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
    </div>
  );
}

type AddProps = { to: PendingFile["to"]; kind?: "primary" | "quiet" };

/** Buttons that add files; touch devices can also take a photo. */
export function AddFilesButtons({ to, kind = "quiet" }: AddProps) {
  const isTouched = useMedia("(pointer: coarse)");
  return (
    <>
      <Button kind={kind} onPress={() => void chooseFiles(to)}>
        <Paperclip aria-hidden="true" size="1rem" /> Add files
      </Button>
      {isTouched && (
        <Button kind="quiet" onPress={() => void chooseFiles(to, true)}>
          <Camera aria-hidden="true" size="1rem" /> Take photo
        </Button>
      )}
    </>
  );
}

/** The same for the text being edited. */
export function EditorFileButtons({ onAdd }: { onAdd: (isCamera?: boolean) => void }) {
  const isTouched = useMedia("(pointer: coarse)");
  if (useFilesUnavailable()) return null;
  return (
    <>
      {isTouched && (
        <IconButton label="Take a photo" onPress={() => onAdd(true)}>
          <Camera aria-hidden="true" />
        </IconButton>
      )}
      <IconButton label="Add pictures or files" onPress={() => onAdd()}>
        <Paperclip aria-hidden="true" />
      </IconButton>
    </>
  );
}

type Props = {
  to: AttachedTo;
  /** The text above, whose own files are not listed again. */
  text?: string;
};

/** Attached files that are not part of the text. Renders nothing if the server has no file storage. */
export default function AttachedFiles({ to, text = "" }: Props) {
  const { data, error, refetch } = useAttachedFiles(apiTarget(to));
  const waiting = usePendingFiles().filter((file) => belongsTo(to, file));
  if (useFilesUnavailable()) return null;
  const named = referencedFileIds(text);
  const shown: readonly StoredFile[] = data?.items.filter(({ id }) => !named.has(id)) ?? [];
  const more = (data?.total ?? 0) - MAX_LISTED;
  return (
    <FileDropArea onFiles={(files) => void addFiles(files, { to })}>
      <section className={styles.of} aria-label="Files">
        <header className={styles.head}>
          <h2>Files</h2>
          <div className={styles.ways}>
            {shown.length > 1 && (
              <Button kind="quiet" onPress={() => void saveFiles(shown)}>
                <Download aria-hidden="true" size="1rem" /> Download all
              </Button>
            )}
            <AddFilesButtons to={to} />
          </div>
        </header>
        {error && !data && !isTransientError(error) && (
          <Problem problem={error} retry={() => void refetch()} />
        )}
        {shown.length + waiting.length > 0 && (
          <FileTiles>
            {shown.map((file) => (
              <FileTile key={file.id} file={file} among={shown} to={apiTarget(to)} />
            ))}
            {waiting.map((file) => (
              <PendingTile key={file.key} file={file} />
            ))}
          </FileTiles>
        )}
        {more > 0 && <p className={styles.quiet}>and {more} more</p>}
      </section>
    </FileDropArea>
  );
}
