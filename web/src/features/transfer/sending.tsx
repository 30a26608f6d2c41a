import { useEffect, useRef, useState } from "react";
import type { Import, ImportMode } from "../../api/import.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { Problem } from "../../kit/states.tsx";
import { refresh, refreshDocuments, refreshMemories } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import { bytes } from "./bytes.ts";
import { CountsTable, NotStored, recordsIn } from "./counts-table.tsx";
import { countOf } from "./lists.tsx";
import { Progress } from "./progress.tsx";
import styles from "./transfer.module.css";
import { applyRest, forgetFile, rememberFile, upload } from "./upload.ts";

type Props = {
  mode: ImportMode;
  /** The file; without it, the import has received all of it. */
  file?: File;
  earlier?: Import;
  onClose: () => void;
};

const isComplete = (now: Import) => now.status !== "uploading";

function send({ file, mode, earlier }: Props, waiting: Parameters<typeof applyRest>[1]): Promise<Import> {
  if (file) return upload({ ...waiting, file, query: { mode, dry_run: false }, earlier });
  return applyRest(earlier?.id ?? "", waiting);
}

const refreshAll = () => Promise.all([refreshDocuments(), refreshMemories(), refresh("me", "imports")]);

/** Sends the file once, whenever it is rendered. */
function useSending(props: Props) {
  const [now, setNow] = useState<Import | undefined>(props.earlier);
  const [waiting, setWaiting] = useState<string>();
  const [problem, setProblem] = useState<Error>();
  const [attempt, setAttempt] = useState(0);
  const latest = useRef({ props, now });
  latest.current = { props, now };
  // biome-ignore lint/correctness/useExhaustiveDependencies: every attempt sends once, with what is there then
  useEffect(() => {
    const stop = new AbortController();
    const { file } = latest.current.props;
    const seen = (next: Import) => {
      setNow(next);
      if (file) rememberFile({ id: next.id, name: file.name, size: file.size, dry_run: false });
    };
    const sent = {
      ...latest.current.props,
      earlier: latest.current.now ?? latest.current.props.earlier,
    } as Props;
    setProblem(undefined);
    const begin = async () => {
      try {
        setNow(await send(sent, { signal: stop.signal, onWait: setWaiting, onProgress: seen }));
        forgetFile();
        toast({ text: "The file is imported" });
        await refreshAll();
      } catch (refused) {
        if (!stop.signal.aborted) setProblem(refused as Error);
      }
    };
    // React's strict mode mounts everything twice in development: what is unmounted at once sends nothing.
    const timer = setTimeout(begin);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [attempt]);
  return { now, waiting, problem, retry: () => setAttempt(attempt + 1) };
}

const Done = ({ result, onClose }: { result: Import; onClose: () => void }) => (
  <>
    <h3>The file is imported</h3>
    <CountsTable result={result} isDone />
    <NotStored result={result} />
    <Actions>
      <ButtonLink href="/documents">Show the documents</ButtonLink>
      <ButtonLink href="/records">Show the records</ButtonLink>
      <Button kind="primary" onPress={onClose}>
        Done
      </Button>
    </Actions>
  </>
);

const written = (now: Import) => recordsIn(now, "created") + recordsIn(now, "overwritten");

/** Sends an export file, has it applied, and says what came of it. */
export function Sending(props: Props) {
  const { now, waiting, problem, retry } = useSending(props);
  const { file, onClose } = props;
  if (now?.status === "done") return <Done result={now} onClose={onClose} />;
  if (problem)
    return (
      <>
        <Problem problem={problem} retry={retry} />
        <Actions>
          <Button onPress={onClose}>Back</Button>
        </Actions>
      </>
    );
  const isReceived = now !== undefined && isComplete(now);
  return (
    <div className={styles.panel}>
      {file && !isReceived ? (
        <Progress
          label={`Sending ${file.name}`}
          done={now?.received ?? 0}
          total={file.size}
          text={`${bytes(now?.received ?? 0)} of ${bytes(file.size)}`}
        />
      ) : (
        <Progress label="Importing" done={0} text={now ? `${countOf(written(now), "item")} so far` : ""} />
      )}
      <p className={styles.quiet} role="status">
        {waiting
          ? `${waiting}. It goes on by itself as soon as it can.`
          : "What has arrived stays with the service. If you leave this screen, you can continue here later."}
      </p>
      <Actions>
        <Button onPress={onClose}>{isReceived ? "Leave it running" : "Stop"}</Button>
      </Actions>
    </div>
  );
}
