import { useMemo } from "react";
import { readTasks, type TaskFile } from "../../../../src/shared/import/records/read-tasks.ts";
import { tallyReasons } from "../../../../src/shared/import/tally.ts";
import { serviceTime } from "../../api/export.ts";
import { Button } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { useMe } from "../../state/queries.ts";
import { ArchiveImport } from "./archive.tsx";
import { CountedList, pluralize } from "./lists.tsx";
import { useQueryOnce } from "./query-once.ts";
import styles from "./transfer.module.css";

const MAX_EXPANDED = 20;

/** The recognized tasks, and what was not understood. */
export const RecognizedTasks = ({ read: { understood, notes, refused, leftOut } }: { read: TaskFile }) => (
  <div className={styles.result}>
    <h3>Recognized tasks</h3>
    <ul className={styles.summary}>
      <CountedList
        text={pluralize(understood.length, "task")}
        lines={understood.map(({ where, topic, says }) => ({ where, why: `${topic}: ${says}` }))}
        isOpen={understood.length <= MAX_EXPANDED}
      />
      <CountedList
        kind="quiet"
        text={`${pluralize(notes.length, "note")} about details that a record can’t have`}
        lines={notes.map(({ where, note }) => ({ where, why: note }))}
        isOpen
      />
      <CountedList
        kind="quiet"
        text={`left out: ${tallyReasons(leftOut.map((one) => one.leftOut))}`}
        lines={leftOut.map(({ where, leftOut: why }) => ({ where, why }))}
      />
      <CountedList kind="refused" isOpen text="cannot be imported" lines={refused} />
    </ul>
  </div>
);

type Props = { files: readonly File[]; onClose: () => void };

async function readAll(files: readonly File[], timezone: string): Promise<TaskFile> {
  const read = await Promise.all(
    files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
  );
  return readTasks(read, { timezone, now: await serviceTime() });
}

export default function TasksImport({ files, onClose }: Props) {
  const me = useMe();
  const read = () => readAll(files, me?.timezone ?? "UTC");
  const { data, error, refetch } = useQueryOnce("import-tasks", read, me !== undefined);
  const file = useMemo(() => data && new File([data.file], files[0]?.name ?? "tasks"), [data, files]);
  if (error) return <Problem problem={error} retry={refetch} />;
  if (!data || !file) return <Loading />;
  if (data.understood.length > 0)
    return <ArchiveImport file={file} source={<RecognizedTasks read={data} />} onClose={onClose} />;
  return (
    <>
      <RecognizedTasks read={data} />
      <Actions>
        <Button onPress={onClose}>Choose other files</Button>
      </Actions>
    </>
  );
}
