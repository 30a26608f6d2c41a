import { useCallback } from "react";
import { textChangedAt } from "../../api/document-times.ts";
import type { Folder } from "../../api/folders.ts";
import { formatCount } from "../../kit/text.ts";
import { ShortMomentIn, useTimezone, useToday } from "../../kit/time.tsx";
import { folderPathName } from "../folders/folders.ts";
import styles from "./documents.module.css";
import type { RowFacts } from "./row-look.tsx";
import { type DocumentRow, UnsentState } from "./unsent.tsx";
import type { DocumentsView } from "./view.ts";

type WhereProps = Pick<DocumentRow, "tags" | "tasks"> & { folder: string | undefined };

const RowLocation = ({ tags, tasks, folder }: WhereProps) => (
  <>
    {folder && <span className={styles.folder}>{folder}</span>}
    {tasks && (
      <span className={styles.tasks}>
        {formatCount(tasks.done)} of {formatCount(tasks.open + tasks.done)} done
      </span>
    )}
    {tags.length > 0 && <span className={styles.tags}>{tags.map((tag) => `#${tag}`).join(" ")}</span>}
  </>
);

/** The content of rows. Memoized, because a new function renders all rows again. */
export function useRowFacts({ folder, sort }: DocumentsView, folders: Folder[]) {
  const timezone = useTimezone();
  const today = useToday();
  return useCallback(
    (item: DocumentRow): RowFacts => {
      const path = folder ? undefined : folderPathName(folders, item.folder_id);
      const at = sort === "created" || sort === "oldest" ? item.created_at : textChangedAt(item);
      return {
        when: item.unsent ? (
          <UnsentState unsent={item.unsent} />
        ) : (
          <ShortMomentIn at={at} timezone={timezone} today={today} />
        ),
        words: item.excerpt === "" ? "No text" : item.excerpt,
        ...((path || item.tasks || item.tags.length > 0) && {
          where: <RowLocation tags={item.tags} tasks={item.tasks} folder={path} />,
        }),
      };
    },
    [folder, sort, folders, timezone, today],
  );
}
