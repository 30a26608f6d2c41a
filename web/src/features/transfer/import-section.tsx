import { lazy, Suspense, useState } from "react";
import { Section } from "../../kit/section.tsx";
import { Loading } from "../../kit/states.tsx";
import { NearLimit } from "../usage/near-limit.tsx";
import { ArchiveImport } from "./archive.tsx";
import { isArchive } from "./archive-file.ts";
import { Drop } from "./drop.tsx";
import { useJob } from "./job.ts";
import { JobPanel } from "./job-panel.tsx";
import type { Picked } from "./picked.ts";
import { Unfinished } from "./unfinished.tsx";

/** With what reads YAML and checks JSON, which only an import needs. */
const TextsImport = lazy(() => import("./texts.tsx"));

type Chosen = { number: number } & ({ picked: Picked } | { file: File });

/** An export file of Commonplace that was chosen alone. */
async function archiveIn({ files: [first, ...others] }: Picked): Promise<File | undefined> {
  const isAlone = first && others.length === 0 && /\.(ndjson|jsonl|json)$/i.test(first.path);
  return isAlone && (await isArchive(first.file)) ? first.file : undefined;
}

export function ImportSection() {
  const [chosen, setChosen] = useState<Chosen>();
  const { job } = useJob();
  const choose = async (picked: Picked) => {
    const number = (chosen?.number ?? 0) + 1;
    const file = await archiveIn(picked);
    setChosen(file ? { number, file } : { number, picked });
  };
  const onClose = () => setChosen(undefined);
  return (
    <Section
      title="Import"
      lead="Bring your notes: folders stay folders, front matter becomes titles, tags and dates. What you imported before is recognized and not imported twice."
    >
      <NearLimit of={["documents", "records", "bytes"]} />
      {job && <JobPanel />}
      {!job && !chosen && (
        <>
          <Unfinished />
          <Drop onPick={choose} />
        </>
      )}
      {!job && chosen && "picked" in chosen && (
        <Suspense fallback={<Loading />}>
          <TextsImport key={chosen.number} picked={chosen.picked} onClose={onClose} />
        </Suspense>
      )}
      {!job && chosen && "file" in chosen && (
        <ArchiveImport key={chosen.number} file={chosen.file} onClose={onClose} />
      )}
    </Section>
  );
}
