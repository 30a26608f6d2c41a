import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { type Import, importsApi } from "../../api/import.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Row, Rows } from "../../kit/rows.tsx";
import { Loading } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { tellElsewhere } from "../../state/jobs.ts";
import { refresh } from "../../state/queries.ts";
import { bytes } from "./bytes.ts";
import { Sending } from "./sending.tsx";
import styles from "./transfer.module.css";
import { forgetFile, type KnownFile, knownFile } from "./upload.ts";
import { type Whole, wholeIn } from "./whole-file.ts";

const Bringing = lazy(() => import("./bringing.tsx"));

/** There are at most two at a time, among those of the last week. */
const LIMIT = 100;

/** The imports that wait for more of their file, or for being applied. A check that a reload cut off is cancelled. */
async function readUnfinished(): Promise<Import[]> {
  const { items } = await importsApi.list({ limit: LIMIT });
  const unfinished = items.filter(({ status }) => status !== "done");
  const known = knownFile();
  const check = unfinished.find(({ id, dry_run }) => dry_run && id === known?.id);
  if (!check) return unfinished;
  tellElsewhere(check.id);
  await importsApi.remove(check.id).catch(() => {});
  forgetFile();
  return unfinished.filter((one) => one !== check);
}

const Facts = ({ one, known }: { one: Import; known: KnownFile | undefined }) => (
  <>
    {bytes(one.received)} {known && `of ${bytes(known.size)} `}
    {isAllThere(one) ? "received, being imported" : "received"} · begun <Moment at={one.created_at} />
    {one.dry_run && " · a check that writes nothing"}
  </>
);

const knownFileOf = (one: Import): KnownFile | undefined => {
  const known = knownFile();
  return known?.id === one.id ? known : undefined;
};

/** Whether its file need not be chosen again. What says so may have been lost with the service's last answer. */
const isAllThere = (one: Import) => one.status === "applying" || one.received === knownFileOf(one)?.size;

/** The file that an import goes on with; of a whole account its lines, and its files that are still missing. */
type Again = { file?: File | undefined; whole?: Whole | undefined };

const sizeOf = ({ file, whole }: Again) => whole?.account.size ?? file?.size ?? 0;

type RowProps = { one: Import; onFile: (again: Again) => void };

function UnfinishedRow({ one, onFile }: RowProps) {
  const [problem, setProblem] = useState<string>();
  const known = knownFileOf(one);
  const choose = async (list: FileList | null) => {
    const file = list?.[0];
    if (!file) return;
    const again = { file, whole: await wholeIn({ files: [{ path: file.name, file }] }) };
    const isOther = sizeOf(again) < one.received || (known && sizeOf(again) !== known.size);
    if (isOther) setProblem(`This is another file${known ? `: choose ${known.name}` : ""}.`);
    else onFile(again);
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
          {!isAllThere(one) && !one.dry_run && (
            <FileTrigger onSelect={(list) => void choose(list)}>
              <Button>Choose the file again to continue…</Button>
            </FileTrigger>
          )}
          {isAllThere(one) && <Button onPress={() => onFile({})}>Show</Button>}
          <ConfirmButton
            title="Cancel this import?"
            text="What was received of its file is deleted. What was imported stays."
            verb="Cancel the import"
            act={async () => {
              await importsApi.remove(one.id);
              await refresh("imports");
            }}
          >
            Cancel
          </ConfirmButton>
        </>
      }
    />
  );
}

type Continuing = { one: Import } & Again;

/** Imports of export files that were interrupted. One that was received completely goes on by itself. */
export function Unfinished() {
  const [continuing, setContinuing] = useState<Continuing>();
  const [left, setLeft] = useState<readonly string[]>([]);
  const { data = [] } = useQuery({ queryKey: ["imports"], queryFn: readUnfinished });
  const next = data.find((one) => isAllThere(one) && !one.dry_run && !left.includes(one.id));
  // Kept, because what came of it is shown when it is no longer one of these.
  if (!continuing && next) setContinuing({ one: next });
  const close = async (id: string) => {
    setLeft([...left, id]);
    setContinuing(undefined);
    await refresh("imports");
  };
  if (continuing) {
    const { one, file, whole } = continuing;
    const going = { mode: one.mode, earlier: one, onClose: () => close(one.id) };
    if (!whole) return <Sending key={one.id} {...going} {...(file && { file })} />;
    return (
      <Suspense fallback={<Loading />}>
        <Bringing key={one.id} {...going} {...whole} />
      </Suspense>
    );
  }
  if (data.length === 0) return null;
  return (
    <>
      <h3>Not finished</h3>
      <Rows label="Imports that are not finished">
        {data.map((one) => (
          <UnfinishedRow key={one.id} one={one} onFile={(again) => setContinuing({ one, ...again })} />
        ))}
      </Rows>
    </>
  );
}
