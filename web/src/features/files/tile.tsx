import type { ReactNode } from "react";
import { type AttachTarget, fileContentUrl, type StoredFile, thumbnailUrl } from "../../api/files.ts";
import { ActionMenu } from "../../kit/menu.tsx";
import { fileFacts, isShownPicture, safeFileName } from "./file-facts.ts";
import { useFileMenu } from "./file-menu.tsx";
import { FILE_ICONS } from "./icons.tsx";
import styles from "./tile.module.css";
import { openViewer } from "./viewer-state.ts";

/** Pictures without a thumbnail are shown in tiles up to this size, in bytes. */
const MAX_PREVIEW_BYTES = 2_000_000;

function previewUrl(file: StoredFile): string | undefined {
  if (file.thumbnails.includes(320)) return thumbnailUrl(file.id, 320);
  return isShownPicture(file) && file.bytes <= MAX_PREVIEW_BYTES ? fileContentUrl(file.id) : undefined;
}

export const FileThumbnail = ({ file }: { file: StoredFile }) => {
  const picture = file.trashed_at ? undefined : previewUrl(file);
  const Icon = FILE_ICONS[file.kind];
  return picture ? (
    <img src={picture} alt="" loading="lazy" decoding="async" />
  ) : (
    <Icon aria-hidden="true" size="2rem" />
  );
};

type Props = {
  file: StoredFile;
  among: readonly StoredFile[];
  /** The document or record that it is shown with. */
  to?: AttachTarget;
  /** Shown below the facts. */
  children?: ReactNode;
};

/** A file with its thumbnail or the icon of its kind; a click opens it. */
export function FileTile({ file, among, to, children }: Props) {
  const { actions, dialog } = useFileMenu(file, undefined, to);
  const name = safeFileName(file.name);
  return (
    <li className={styles.tile}>
      <button type="button" className={styles.open} onClick={() => openViewer(file.id, among)}>
        <span className={styles.sign}>
          <FileThumbnail file={file} />
        </span>
        <span className={styles.words}>
          <bdi className={styles.name} title={name}>
            {name}
          </bdi>
          <small>{fileFacts(file).slice(0, 2).join(" · ")}</small>
        </span>
      </button>
      <div className={styles.menu}>
        <ActionMenu label={`Actions for ${name}`} actions={actions} />
      </div>
      {children}
      {dialog}
    </li>
  );
}

export const FileTiles = ({ children }: { children: ReactNode }) => (
  <ul className={styles.tiles} aria-label="Files">
    {children}
  </ul>
);
