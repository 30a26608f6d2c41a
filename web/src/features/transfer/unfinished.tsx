import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { type Import, importsApi } from "../../api/import.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Row, Rows } from "../../kit/rows.tsx";
import { Loading } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { showJobElsewhere } from "../../state/jobs.ts";
import { refreshResources } from "../../state/queries.ts";
import { type AccountExportFile, findAccountExport } from "./account-export.ts";
import { ArchiveUpload } from "./archive-upload.tsx";
import { formatBytes } from "./format-bytes.ts";
import styles from "./transfer.module.css";
import { forgetFile, type RememberedFile, rememberedFile } from "./upload.ts";

const Bringing = lazy(() => import("./account-upload.tsx"));

/** The list has the imports of the last week. At most two are unfinished. */
const LIMIT = 100;

/** The imports whose file is incomplete or not applied yet. A check that was interrupted by a reload is cancelled. */
async function readUnfinished(): Promise<Import[]> {
  const { items } = await importsApi.list({ limit: LIMIT });
  const unfinished = items.filter(({ status }) => status !== "done");
  const known = rememberedFile();
  const check = unfinished.find(({ id, dry_run }) => dry_run && id === known?.id);
  if (!check) return unfinished;
  showJobElsewhere(check.id);
  await importsApi.remove(check.id).catch(() => {});
  forgetFile();
  return unfinished.filter((one) => one !== check);
}

const Facts = ({ one, known }: { one: Import; known: RememberedFile | undefined }) => (
  <>
    {formatBytes(one.received)} {known && `of ${formatBytes(known.size)} `}
    {isReceived(one) ? "received, being imported" : "received"} · started <Moment at={one.created_at} />
    {one.dry_run && " · preview only"}
  </>
);

const knownFileOf = (one: Import): RememberedFile | undefined => {
  const known = rememberedFile();
  return known?.id === one.id ? known : undefined;
};

/** Whether the server has the whole file. Its size is compared too, because the last answer may have been lost. */
const isReceived = (one: Import) => one.status === "applying" || one.received === knownFileOf(one)?.size;

/** The file that was chosen to continue an import; for a whole account, its lines and files. */
type ChosenFile = { file?: File | undefined; whole?: AccountExportFile | undefined };

const sizeOf = ({ file, whole }: ChosenFile) => whole?.account.size ?? file?.size ?? 0;

type RowProps = { one: Import; onFile: (chosen: ChosenFile) => void };

function UnfinishedRow({ one, onFile }: RowProps) {
  const [problem, setProblem] = useState<string>();
  const known = knownFileOf(one);
  const choose = async (list: FileList | null) => {
    const file = list?.[0];
    if (!file) return;
    const chosen = { file, whole: await findAccountExport({ files: [{ path: file.name, file }] }) };
    const isOther = sizeOf(chosen) < one.received || (known && sizeOf(chosen) !== known.size);
    if (isOther) setProblem(`This is a different file.${known ? ` Choose ${known.name}.` : ""}`);
    else onFile(chosen);
  };
  return (
    <Row
      title={known?.name ?? "An export file"}
      facts={
        <>
          <Facts one={one} known={known} />
          {problem && (
            <span className={styles.problem} role="alert">
              {" "}
              {problem}
            </span>
          )}
        </>
      }
      actions={
        <>
          {!isReceived(one) && !one.dry_run && (
            <FileTrigger onSelect={(list) => void choose(list)}>
              <Button>Choose the file again to continue…</Button>
            </FileTrigger>
          )}
          {isReceived(one) && <Button onPress={() => onFile({})}>Show</Button>}
          <ConfirmButton
            title="Cancel this import?"
            text="The uploaded part of its file is deleted. What was imported stays."
            verb="Cancel import"
            act={() => importsApi.remove(one.id).then(() => refreshResources("imports"))}
          >
            Cancel
          </ConfirmButton>
        </>
      }
    />
  );
}

type Continuing = { one: Import } & ChosenFile;

/** Interrupted imports of export files. One whose file is complete continues automatically. */
export function UnfinishedImports() {
  const [continuing, setContinuing] = useState<Continuing>();
  const [closed, setClosed] = useState<readonly string[]>([]);
  const { data = [] } = useQuery({ queryKey: ["imports"], queryFn: readUnfinished });
  const next = data.find((one) => isReceived(one) && !one.dry_run && !closed.includes(one.id));
  // Stored in state, because the result is shown after the import has left the list.
  if (!continuing && next) setContinuing({ one: next });
  const close = async (id: string) => {
    setClosed([...closed, id]);
    setContinuing(undefined);
    await refreshResources("imports");
  };
  if (continuing) {
    const { one, file, whole } = continuing;
    const sendingProps = { mode: one.mode, earlier: one, onClose: () => close(one.id) };
    if (!whole) return <ArchiveUpload key={one.id} {...sendingProps} {...(file && { file })} />;
    return (
      <Suspense fallback={<Loading />}>
        <Bringing key={one.id} {...sendingProps} {...whole} />
      </Suspense>
    );
  }
  if (data.length === 0) return null;
  return (
    <>
      <h3>Unfinished</h3>
      <Rows label="Unfinished imports">
        {data.map((one) => (
          <UnfinishedRow key={one.id} one={one} onFile={(chosen) => setContinuing({ one, ...chosen })} />
        ))}
      </Rows>
    </>
  );
}
