import { useCallback } from "react";
import { changedAt } from "../../api/documents.ts";
import type { Folder } from "../../api/folders.ts";
import { ShortMomentIn, useTimezone, useToday } from "../../kit/time.tsx";
import { pathName } from "../folders/folders.ts";
import styles from "./documents.module.css";
import { numberOf } from "./number.ts";
import type { Place } from "./place.ts";
import type { Facts } from "./row-look.tsx";
import { NotSent, type Shown } from "./unsent.tsx";

const Tasks = ({ open, done }: { open: number; done: number }) => (
  <span className={styles.tasks}>
    {numberOf(done)} of {numberOf(open + done)} done
  </span>
);

type WhereProps = Pick<Shown, "tags" | "tasks"> & { folder: string | undefined };

const Where = ({ tags, tasks, folder }: WhereProps) => (
  <>
    {folder && <span className={styles.folder}>{folder}</span>}
    {tasks && <Tasks {...tasks} />}
    {tags.length > 0 && <span className={styles.tags}>{tags.map((tag) => `#${tag}`).join(" ")}</span>}
  </>
);

/** The content of rows. Memoized, because a new function renders all rows again. */
export function useFacts({ folder, sort }: Place, folders: Folder[]) {
  const timezone = useTimezone();
  const today = useToday();
  return useCallback(
    (item: Shown): Facts => {
      const path = folder ? undefined : pathName(folders, item.folder_id);
      const at = sort === "created" || sort === "oldest" ? item.created_at : changedAt(item);
      return {
        when: item.unsent ? (
          <NotSent unsent={item.unsent} />
        ) : (
          <ShortMomentIn at={at} timezone={timezone} today={today} />
        ),
        words: item.excerpt === "" ? "No text" : item.excerpt,
        where: <Where tags={item.tags} tasks={item.tasks} folder={path} />,
      };
    },
    [folder, sort, folders, timezone, today],
  );
}
