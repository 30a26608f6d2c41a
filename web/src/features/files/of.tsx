import { type ReactNode, useState } from "react";
import type { StoredFile } from "../../api/files.ts";
import { isPassing } from "../../api/request.ts";
import { Button } from "../../kit/button.tsx";
import { Download } from "../../kit/icons.tsx";
import { useMedia } from "../../kit/media.ts";
import { Problem } from "../../kit/states.tsx";
import { useFilesHere, type WaitingFile } from "../../state/waiting-files.ts";
import { addFiles } from "./add.ts";
import { chooseFiles, saveFiles } from "./file-actions.ts";
import { useAddress } from "./here.ts";
import { Camera, Paperclip } from "./icons.tsx";
import { MOST, useFilesOf, useNoFiles } from "./known.ts";
import styles from "./of.module.css";
import { idsIn } from "./reference.ts";
import tile from "./tile.module.css";
import { Tile, Tiles } from "./tile.tsx";
import { shownName } from "./words.ts";

// The files of a document or record, shown below its text.

export const TOUCH = "(pointer: coarse)";

type To = { document: string } | { record: number };

const apiTo = (to: To) => ("document" in to ? { document_id: to.document } : { memory_id: to.record });

const isFor = (to: To, { to: its, isInText, id }: WaitingFile) =>
  !isInText && !id && ("document" in to ? its.document === to.document : its.record === to.record);

/** A file that is only on this device. */
function WaitingTile({ file }: { file: WaitingFile }) {
  const isPicture = file.bytes.type.startsWith("image/");
  const address = useAddress(isPicture ? file.bytes : undefined);
  return (
    <li className={tile.tile} data-waiting>
      <div className={tile.open}>
        <span className={tile.sign}>
          {address ? <img src={address} alt="" /> : <Paperclip aria-hidden="true" size="2rem" />}
        </span>
        <span className={tile.words}>
          <bdi className={tile.name}>{shownName(file.name)}</bdi>
          <small>{file.refused ? "Upload failed" : "Waiting to upload"}</small>
        </span>
      </div>
      {file.refused && <p>{file.refused}</p>}
    </li>
  );
}

type AreaProps = { onFiles: (files: File[]) => void; children: ReactNode };

const hasFiles = ({ dataTransfer }: React.DragEvent) => dataTransfer.types.includes("Files");

/** Accepts dropped files. */
export function FileArea({ onFiles, children }: AreaProps) {
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

type WaysProps = { to: { document?: string; record?: number }; kind?: "primary" | "quiet" };

/** Buttons that add files; touch devices can also take a photo. */
export function Ways({ to, kind = "quiet" }: WaysProps) {
  const isTouched = useMedia(TOUCH);
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

type Props = {
  to: To;
  /** The text above, whose own files are not listed again. */
  text?: string;
};

/** Attached files that are not part of the text. Renders nothing if the server has no file storage. */
export default function FilesOf({ to, text = "" }: Props) {
  const { data, error, refetch } = useFilesOf(apiTo(to));
  const waiting = useFilesHere().filter((file) => isFor(to, file));
  if (useNoFiles()) return null;
  const named = idsIn(text);
  const shown: readonly StoredFile[] = data?.items.filter(({ id }) => !named.has(id)) ?? [];
  const more = (data?.total ?? 0) - MOST;
  return (
    <FileArea onFiles={(files) => void addFiles(files, { to })}>
      <section className={styles.of} aria-label="Files">
        <header className={styles.head}>
          <h2>Files</h2>
          <div className={styles.ways}>
            {shown.length > 1 && (
              <Button kind="quiet" onPress={() => void saveFiles(shown)}>
                <Download aria-hidden="true" size="1rem" /> Download all
              </Button>
            )}
            <Ways to={to} />
          </div>
        </header>
        {error && !data && !isPassing(error) && <Problem problem={error} retry={() => void refetch()} />}
        {shown.length + waiting.length > 0 && (
          <Tiles label="Files">
            {shown.map((file) => (
              <Tile key={file.id} file={file} among={shown} to={apiTo(to)} />
            ))}
            {waiting.map((file) => (
              <WaitingTile key={file.key} file={file} />
            ))}
          </Tiles>
        )}
        {more > 0 && <p className={styles.quiet}>and {more} more</p>}
      </section>
    </FileArea>
  );
}
