import { lazy, Suspense, useEffect, useState } from "react";
import { mayBeTaskFile } from "../../../../src/shared/import/records/task-files.ts";
import { Section } from "../../kit/section.tsx";
import { Loading } from "../../kit/states.tsx";
import NearLimit from "../usage/near-limit.tsx";
import { type AccountExportFile, findAccountExport } from "./account-export.ts";
import { ArchiveImport } from "./archive.tsx";
import { isArchive } from "./archive-file.ts";
import { DropArea } from "./drop.tsx";
import { ImportPanel } from "./import-panel.tsx";
import { resumeImport, useImportStatus, useIsImportLoaded } from "./import-status.ts";
import type { Picked } from "./picked.ts";
import { UnfinishedImports } from "./unfinished.tsx";

// Loaded lazily, because only an import needs the parsers of YAML, JSON, calendars and CSV.
const TextsImport = lazy(() => import("./texts.tsx"));
const TasksImport = lazy(() => import("./tasks.tsx"));
const WholeImport = lazy(() => import("./account-import.tsx"));

type Chosen = { number: number } & (
  | { picked: Picked }
  | { file: File }
  | { tasks: File[] }
  | { whole: AccountExportFile }
);

/** A Commonplace export that was chosen on its own. */
async function archiveIn({ files: [first, ...others] }: Picked): Promise<File | undefined> {
  const isAlone = first && others.length === 0 && /\.(ndjson|jsonl|json)$/i.test(first.path);
  return isAlone && (await isArchive(first.file)) ? first.file : undefined;
}

/** The files, if all of them can have tasks. */
const tasksIn = ({ files }: Picked): File[] | undefined =>
  files.every(({ path }) => mayBeTaskFile(path)) ? files.map(({ file }) => file) : undefined;

async function detectKind(picked: Picked) {
  const file = await archiveIn(picked);
  if (file) return { file };
  const whole = await findAccountExport(picked);
  if (whole) return { whole };
  const tasks = tasksIn(picked);
  return tasks ? { tasks } : { picked };
}

function ChosenImport({ chosen, onClose }: { chosen: Chosen; onClose: () => void }) {
  if ("picked" in chosen) return <TextsImport picked={chosen.picked} onClose={onClose} />;
  if ("tasks" in chosen) return <TasksImport files={chosen.tasks} onClose={onClose} />;
  if ("whole" in chosen) return <WholeImport {...chosen.whole} onClose={onClose} />;
  return <ArchiveImport file={chosen.file} onClose={onClose} />;
}

export function ImportSection() {
  const [chosen, setChosen] = useState<Chosen>();
  const { job } = useImportStatus();
  const isRead = useIsImportLoaded();
  useEffect(() => void resumeImport(), []);
  const choose = async (picked: Picked) => {
    const number = (chosen?.number ?? 0) + 1;
    setChosen({ number, ...(await detectKind(picked)) });
  };
  return (
    <Section
      title="Import"
      lead="Import your notes: folders stay folders, and front matter becomes titles, tags and dates. Tasks become records with their times, reminders and repetition. Anything you imported before is recognized and not imported twice."
    >
      <NearLimit of={["documents", "records", "bytes"]} />
      {job && <ImportPanel />}
      {!job && !chosen && (
        <>
          <UnfinishedImports />
          {isRead ? <DropArea onPick={choose} /> : <Loading />}
        </>
      )}
      {!job && chosen && (
        <Suspense fallback={<Loading />}>
          <ChosenImport key={chosen.number} chosen={chosen} onClose={() => setChosen(undefined)} />
        </Suspense>
      )}
    </Section>
  );
}
