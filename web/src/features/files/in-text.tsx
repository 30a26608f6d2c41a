import { useIsFetching } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { bytesAt, type StoredFile, thumbnailAt } from "../../api/files.ts";
import { isApiError } from "../../api/request.ts";
import { useAddress, useFileHere } from "./here.ts";
import { ICON_OF } from "./icons.tsx";
import styles from "./in-text.module.css";
import { knownFile, useFile } from "./known.ts";
import type { Reference } from "./reference.ts";
import { view } from "./viewing.ts";
import { altOf, factsOf, isShownPicture, shownName } from "./words.ts";

// Pictures and files in a rendered text.

/** A placeholder for a missing file, with the reason. */
const Missing = ({ words, why }: { words: string; why: string }) => (
  <span className={styles.missing} data-picture>
    {words || "Picture"} <small>{why}</small>
  </span>
);

/** A thumbnail of text width; the file itself for animations and small pictures. */
export const pictureAt = ({ id, thumbnails, type }: StoredFile): string =>
  thumbnails.includes(1000) && type !== "image/gif" ? thumbnailAt(id, 1000) : bytesAt(id);

/** All pictures of the text, in order. */
function picturesAround(button: HTMLElement): StoredFile[] {
  const all = button.closest("article")?.querySelectorAll<HTMLElement>("[data-file]") ?? [];
  const known = [...all].flatMap(({ dataset }) => knownFile(dataset.file ?? "") ?? []);
  return known.filter(isShownPicture);
}

function Shown({ file, alt }: { file: StoredFile; alt: string }) {
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (!isBroken) return;
    const again = () => setBroken(false);
    addEventListener("online", again);
    return () => removeEventListener("online", again);
  }, [isBroken]);
  const words = alt || altOf(file);
  if (isBroken) return <Missing words={words} why="can’t be loaded right now" />;
  const { width, height } = file;
  return (
    <button
      type="button"
      className={styles.picture}
      data-file={file.id}
      aria-label={`Open picture: ${words}`}
      onClick={({ currentTarget }) => view(file.id, picturesAround(currentTarget))}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <img
        src={pictureAt(file)}
        alt={words}
        loading="lazy"
        decoding="async"
        {...(width && height && { width, height })}
        onError={() => setBroken(true)}
      />
    </button>
  );
}

/** The name of a file that is not a picture; a click opens it. */
export const FileLink = ({ file, children }: { file: StoredFile; children?: ReactNode }) => {
  const Icon = ICON_OF[file.kind];
  return (
    <button
      type="button"
      className={styles.file}
      data-file={file.id}
      onClick={() => view(file.id)}
      title={factsOf(file).join(", ")}
    >
      <Icon aria-hidden="true" size="1em" /> <bdi>{children ?? shownName(file.name)}</bdi>
    </button>
  );
};

const whyMissing = (problem: Error | null) =>
  isApiError(problem, 404) ? "no longer exists" : "can’t be loaded right now";

/** Waits while the document's files are being listed, since that list usually includes the file. */
const useKnown = (id: string) => {
  const isListing = useIsFetching({ queryKey: ["files", "of"] }) > 0;
  return useFile(id, !isListing);
};

type Props = { words: string; isPicture: boolean };

function Arrived({ id, words, isPicture, children }: Props & { id: string; children?: ReactNode }) {
  const { data: file, error } = useKnown(id);
  if (file?.trashed_at) return <Missing words={words || altOf(file)} why="is in the trash" />;
  if (file && isPicture && isShownPicture(file)) return <Shown file={file} alt={words} />;
  if (file) return <FileLink file={file}>{children ?? (words || undefined)}</FileLink>;
  if (error) return <Missing words={words} why={whyMissing(error)} />;
  return <span className={styles.waiting} role="img" aria-label={words || "Picture"} />;
}

function Waiting({ fileKey, words, isPicture }: Props & { fileKey: string }) {
  const file = useFileHere(fileKey);
  const address = useAddress(isPicture ? file?.bytes : undefined);
  if (!file) return <Missing words={words} why="is still on the device where it was added" />;
  const why = file.refused ? "couldn’t be uploaded" : "waiting to upload";
  if (!isPicture || !address || !file.bytes.type.startsWith("image/"))
    return <Missing words={words || shownName(file.name)} why={why} />;
  return (
    <span className={styles.here}>
      <img src={address} alt={words || shownName(file.name)} />
      <small>{file.refused ? "Upload failed" : "Waiting to upload"}</small>
    </span>
  );
}

/** A file referenced by a text. */
export function FileInText({ reference, ...props }: Props & { reference: Reference; children?: ReactNode }) {
  return reference.id === undefined ? (
    <Waiting fileKey={reference.key} {...props} />
  ) : (
    <Arrived id={reference.id} {...props} />
  );
}
