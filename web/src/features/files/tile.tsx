import type { ReactNode } from "react";
import { bytesAt, type StoredFile, type To, thumbnailAt } from "../../api/files.ts";
import { ActionMenu } from "../../kit/menu.tsx";
import { AskedAbout, useFileMenu } from "./file-menu.tsx";
import { ICON_OF } from "./icons.tsx";
import styles from "./tile.module.css";
import { view } from "./viewing.ts";
import { factsOf, isShownPicture, shownName } from "./words.ts";

// Files side by side.

/** Up to so many bytes a picture without a small form is loaded to show it small. */
const MAX_LOADED = 2_000_000;

function pictureOf(file: StoredFile): string | undefined {
  if (file.thumbnails.includes(320)) return thumbnailAt(file.id, 320);
  return isShownPicture(file) && file.bytes <= MAX_LOADED ? bytesAt(file.id) : undefined;
}

export const Sign = ({ file }: { file: StoredFile }) => {
  const picture = file.trashed_at ? undefined : pictureOf(file);
  const Icon = ICON_OF[file.kind];
  return picture ? (
    <img src={picture} alt="" loading="lazy" decoding="async" />
  ) : (
    <Icon aria-hidden="true" size="2rem" />
  );
};

type Props = {
  file: StoredFile;
  among: readonly StoredFile[];
  /** What it is shown as a part of. */
  to?: To;
  /** What is said of it below its facts. */
  children?: ReactNode;
};

/** A file with its picture, or the sign of its kind; a click opens it. */
export function Tile({ file, among, to, children }: Props) {
  const { actions, asked, close } = useFileMenu(file, undefined, to);
  const name = shownName(file.name);
  return (
    <li className={styles.tile}>
      <button type="button" className={styles.open} onClick={() => view(file.id, among)}>
        <span className={styles.sign}>
          <Sign file={file} />
        </span>
        <span className={styles.words}>
          <bdi className={styles.name} title={name}>
            {name}
          </bdi>
          <small>{factsOf(file).slice(0, 2).join(" · ")}</small>
        </span>
      </button>
      <div className={styles.menu}>
        <ActionMenu label={`What to do with ${name}`} actions={actions} />
      </div>
      {children}
      <AskedAbout file={file} asked={asked} onClose={close} />
    </li>
  );
}

export const Tiles = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={styles.tiles} aria-label={label}>
    {children}
  </ul>
);
