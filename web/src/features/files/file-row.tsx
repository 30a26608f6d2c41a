import type { StoredFile } from "../../api/files.ts";
import { ActionMenu } from "../../kit/menu.tsx";
import { Moment } from "../../kit/time.tsx";
import { fileFacts, safeFileName } from "./file-facts.ts";
import { useFileMenu } from "./file-menu.tsx";
import { FileUsage } from "./file-usage.tsx";
import styles from "./files.module.css";
import { FileThumbnail } from "./tile.tsx";
import { openViewer } from "./viewer-state.ts";

export function FileRow({ file, among }: { file: StoredFile; among: readonly StoredFile[] }) {
  const { actions, dialog } = useFileMenu(file);
  const name = safeFileName(file.name);
  return (
    <li className={styles.row}>
      <span className={styles.sign}>
        <FileThumbnail file={file} />
      </span>
      <div>
        <button type="button" className={styles.name} title={name} onClick={() => openViewer(file.id, among)}>
          <bdi>{name}</bdi>
        </button>
        <div className={styles.facts}>
          {fileFacts(file).join(" · ")} · <FileUsage file={file} />
        </div>
      </div>
      <span className={styles.when}>
        <Moment at={file.created_at} />
      </span>
      <ActionMenu label={`Actions for ${name}`} actions={actions} />
      {dialog}
    </li>
  );
}
