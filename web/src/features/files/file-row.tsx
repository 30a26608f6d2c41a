import type { ReactNode } from "react";
import type { StoredFile } from "../../api/files.ts";
import { ActionMenu } from "../../kit/menu.tsx";
import { Moment } from "../../kit/time.tsx";
import { AskedAbout, useFileMenu } from "./file-menu.tsx";
import styles from "./files.module.css";
import { Sign } from "./tile.tsx";
import { Used } from "./used.tsx";
import { view } from "./viewing.ts";
import { factsOf, shownName } from "./words.ts";

export const FileRows = ({ children }: { children: ReactNode }) => (
  <ul className={styles.rows} aria-label="Files">
    {children}
  </ul>
);

/** A file as a row, with the places where it is used. */
export function FileRow({ file, among }: { file: StoredFile; among: readonly StoredFile[] }) {
  const { actions, asked, close } = useFileMenu(file);
  const name = shownName(file.name);
  return (
    <li className={styles.row}>
      <span className={styles.sign}>
        <Sign file={file} />
      </span>
      <div>
        <button type="button" className={styles.name} title={name} onClick={() => view(file.id, among)}>
          <bdi>{name}</bdi>
        </button>
        <div className={styles.facts}>
          {factsOf(file).join(" · ")} · <Used file={file} />
        </div>
      </div>
      <span className={styles.when}>
        <Moment at={file.created_at} />
      </span>
      <ActionMenu label={`Actions for ${name}`} actions={actions} />
      <AskedAbout file={file} asked={asked} onClose={close} />
    </li>
  );
}
