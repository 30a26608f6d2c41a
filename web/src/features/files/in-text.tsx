import { useIsFetching } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { fileContentUrl, type StoredFile, thumbnailUrl } from "../../api/files.ts";
import { isApiError } from "../../api/request.ts";
import { altText, fileFacts, isShownPicture, safeFileName } from "./file-facts.ts";
import { cachedFile, useFile } from "./file-queries.ts";
import { FILE_ICONS } from "./icons.tsx";
import styles from "./in-text.module.css";
import { useObjectUrl, usePendingFile } from "./local-files.ts";
import { type FileReference, maxPictureWidth } from "./reference.ts";
import { openViewer } from "./viewer-state.ts";

const MissingFile = ({ words, why, isPicture }: { words: string; why: string; isPicture: boolean }) => (
  <span className={styles.missing} data-picture={isPicture || undefined}>
    {words || "Picture"} <small data-apart>{why}</small>
  </span>
);

/** A thumbnail of text width; the file itself for animations and small pictures. */
export const inlinePictureUrl = ({ id, thumbnails, type }: StoredFile): string =>
  thumbnails.includes(1000) && type !== "image/gif" ? thumbnailUrl(id, 1000) : fileContentUrl(id);

/** All pictures of the text, in order. */
function picturesAround(button: HTMLElement): StoredFile[] {
  const all = button.closest("article")?.querySelectorAll<HTMLElement>("[data-file]") ?? [];
  const known = [...all].flatMap(({ dataset }) => cachedFile(dataset.file ?? "") ?? []);
  return known.filter(isShownPicture);
}

type InlinePictureProps = { file: StoredFile; alt: string; shownWidth: number | undefined };

function InlinePicture({ file, alt, shownWidth }: InlinePictureProps) {
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (!isBroken) return;
    const again = () => setBroken(false);
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, [isBroken]);
  const words = alt || altText(file);
  if (isBroken) return <MissingFile isPicture words={words} why="can’t be loaded right now" />;
  const { width, height } = file;
  const size = width && height ? { width, height } : undefined;
  return (
    <button
      type="button"
      className={styles.picture}
      data-file={file.id}
      aria-label={`Open picture: ${words}`}
      style={size && { maxWidth: maxPictureWidth(size) }}
      onClick={({ currentTarget }) => openViewer(file.id, picturesAround(currentTarget))}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <img
        src={inlinePictureUrl(file)}
        alt={words}
        loading="lazy"
        decoding="async"
        {...size}
        style={{ width: shownWidth }}
        onError={() => setBroken(true)}
      />
    </button>
  );
}

type FileLinkProps = { file: StoredFile; children?: ReactNode; "data-picture"?: boolean | undefined };

/** The name of a file that is not a picture; a click opens it. */
export const FileLink = ({ file, children, ...props }: FileLinkProps) => {
  const Icon = FILE_ICONS[file.kind];
  return (
    <button
      {...props}
      type="button"
      className={styles.file}
      data-file={file.id}
      onClick={() => openViewer(file.id)}
      title={fileFacts(file).join(", ")}
    >
      <Icon aria-hidden="true" size="1em" /> <bdi>{children ?? safeFileName(file.name)}</bdi>
    </button>
  );
};

const whyMissing = (problem: Error | null) =>
  isApiError(problem, 404) ? "no longer exists" : "can’t be loaded right now";

type Props = { words: string; isPicture: boolean; shownWidth?: number | undefined };

type StoredProps = Props & { id: string; children?: ReactNode };

function StoredFileInText({ id, words, isPicture, shownWidth, children }: StoredProps) {
  // Waits while the document's files are being listed, since that list usually includes the file.
  const isListing = useIsFetching({ queryKey: ["files", "of"] }) > 0;
  const { data: file, error } = useFile(id, !isListing);
  if (file?.trashed_at)
    return <MissingFile {...{ isPicture }} words={words || altText(file)} why="is in the trash" />;
  if (file && isPicture && isShownPicture(file))
    return <InlinePicture {...{ file, shownWidth }} alt={words} />;
  if (file) {
    return (
      <FileLink file={file} data-picture={isPicture || undefined}>
        {children ?? (words || undefined)}
      </FileLink>
    );
  }
  if (error) return <MissingFile {...{ isPicture, words }} why={whyMissing(error)} />;
  return <span className={styles.waiting} role="img" aria-label={words || "Picture"} />;
}

function PendingFileInText({ fileKey, words, isPicture, shownWidth }: Props & { fileKey: string }) {
  const file = usePendingFile(fileKey);
  const address = useObjectUrl(isPicture ? file?.bytes : undefined);
  if (!file) return <MissingFile {...{ isPicture, words }} why="is still on the device where it was added" />;
  const why = file.refused ? "couldn’t be uploaded" : "waiting to upload";
  if (!isPicture || !address || !file.bytes.type.startsWith("image/"))
    return <MissingFile {...{ isPicture, why }} words={words || safeFileName(file.name)} />;
  return (
    <span className={styles.here} data-picture>
      <img src={address} alt={words || safeFileName(file.name)} style={{ width: shownWidth }} />
      <small>{file.refused ? "Upload failed" : "Waiting to upload"}</small>
    </span>
  );
}

/** A file referenced by a text. */
export function FileInText({
  reference,
  ...props
}: Props & { reference: FileReference; children?: ReactNode }) {
  return reference.id === undefined ? (
    <PendingFileInText fileKey={reference.key} {...props} />
  ) : (
    <StoredFileInText id={reference.id} {...props} />
  );
}
