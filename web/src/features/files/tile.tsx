import type { ReactNode } from "react";
import { bytesAt, type StoredFile, type To, thumbnailAt } from "../../api/files.ts";
import { ActionMenu } from "../../kit/menu.tsx";
import { AskedAbout, useFileMenu } from "./file-menu.tsx";
import { ICON_OF } from "./icons.tsx";
import styles from "./tile.module.css";
import { view } from "./viewing.ts";
import { factsOf, isShownPicture, shownName } from "./words.ts";

// Files as tiles.

/** Pictures without a thumbnail are shown in tiles up to this size, in bytes. */
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
  /** The document or record that it is shown with. */
  to?: To;
  /** Shown below the facts. */
  children?: ReactNode;
};

/** A file with its thumbnail or the icon of its kind; a click opens it. */
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
        <ActionMenu label={`Actions for ${name}`} actions={actions} />
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
