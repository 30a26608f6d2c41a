import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, RotateCcw } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { type Document, type DocumentVersion, documentsApi } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { attempt } from "../parts/document-actions.ts";
import { Loading, Problem } from "../parts/states.tsx";
import { Moment } from "../parts/time.tsx";
import { toast } from "../parts/toasts.tsx";
import { showWritten } from "./data.ts";
import styles from "./versions.module.css";
import { capitalized, writerOf } from "./writer.tsx";
import { writingOf } from "./writing.ts";

const Diff = lazy(() => import("./compare.tsx").then(({ Diff }) => ({ default: Diff })));

/** The service keeps the last 50 versions before the current one. */
const MOST = 100;

const versionQuery = (id: string, version: number) => ({
  queryKey: ["documents", "one", id, "version", version],
  queryFn: () => documentsApi.version(id, version),
  staleTime: "static" as const,
});

/** Restores a version, and offers to return to the one before. */
const restore = (document: Document, version: number) =>
  attempt(async () => {
    const back = async (to: number, from: Document) => {
      const restored = await documentsApi.restoreVersion(document.id, to, { version: from.version });
      showWritten(restored);
      return restored;
    };
    const restored = await back(version, document);
    toast({
      text: `Version ${version} restored as version ${restored.version}`,
      undo: () => attempt(() => back(document.version, restored)),
    });
  });

const Change = ({ name, before, after }: { name: string; before: string; after: string }) =>
  before === after ? null : (
    <div className={styles.change}>
      <dt>{name}</dt>
      <dd>
        {before && <del>{before}</del>} {after && <ins>{after}</ins>}
      </dd>
    </div>
  );

function Differences({ before, after }: { before: DocumentVersion; after: DocumentVersion }) {
  const [old, now] = [writingOf(before.content), writingOf(after.content)];
  const isText = old.text !== now.text;
  const isSame =
    !isText &&
    before.title === after.title &&
    before.tags.join() === after.tags.join() &&
    old.kind === now.kind;
  return (
    <div className={styles.differences}>
      {isSame && <p className={styles.quiet}>These two versions say the same.</p>}
      <dl className={styles.changes}>
        <Change name="Title" before={before.title} after={after.title} />
        <Change name="Tags" before={before.tags.join(", ")} after={after.tags.join(", ")} />
      </dl>
      {isText && (
        <Suspense fallback={<Loading />}>
          <Diff kind={now.kind} before={old.text} after={now.text} />
        </Suspense>
      )}
    </div>
  );
}

function Comparison({ id, one, other }: { id: string; one: number; other: number }) {
  const [older, newer] = [Math.min(one, other), Math.max(one, other)];
  const before = useQuery(versionQuery(id, older));
  const after = useQuery(versionQuery(id, newer));
  const problem = before.error ?? after.error;
  if (problem) return <Problem problem={problem} />;
  if (!before.data || !after.data) return <Loading />;
  return (
    <>
      <h2>
        From version {older} to {newer}
      </h2>
      <Differences before={before.data} after={after.data} />
    </>
  );
}

type RowProps = {
  version: Pick<DocumentVersion, "version" | "client_name" | "source_type" | "created_at">;
  isCurrent: boolean;
  one: number;
  other: number;
  setOne: (version: number) => void;
  setOther: (version: number) => void;
};

const Row = ({ version, isCurrent, one, other, setOne, setOther }: RowProps) => (
  <li className={styles.row} data-chosen={version.version === one || version.version === other || undefined}>
    <span className={styles.choices}>
      <input
        type="radio"
        name="from"
        aria-label={`Compare version ${version.version}`}
        checked={version.version === one}
        onChange={() => setOne(version.version)}
      />
      <input
        type="radio"
        name="to"
        aria-label={`with version ${version.version}`}
        checked={version.version === other}
        onChange={() => setOther(version.version)}
      />
    </span>
    <span>
      <strong>
        {version.version}
        {isCurrent && ", current"}
      </strong>
      <span className={styles.quiet}>
        {capitalized(writerOf(version))}, <Moment at={version.created_at} />
      </span>
    </span>
  </li>
);

type Props = { document: Document; onLeave: () => void };

/** The earlier versions of a document: what changed between any two of them, and the way back to one. */
export function VersionsView({ document, onLeave }: Props) {
  const { id, version } = document;
  const list = useQuery({
    queryKey: ["documents", "one", id, "versions", version],
    queryFn: () => documentsApi.versions(id, { limit: MOST }),
  });
  const current = useQuery(versionQuery(id, version));
  const [one, setOne] = useState(version - 1);
  const [other, setOther] = useState(version);
  if (list.error) return <Problem problem={list.error} retry={list.refetch} />;
  if (!list.data) return <Loading />;
  const all = [...(current.data ? [current.data] : []), ...list.data.items];
  const older = Math.min(one, other);
  return (
    <div className={styles.versions}>
      <div className={styles.chooser}>
        <div className={styles.actions}>
          <Button onPress={onLeave}>
            <ArrowLeft aria-hidden="true" size="1rem" /> Back <kbd>Esc</kbd>
          </Button>
          {older < version && (
            <Button onPress={() => restore(document, older)}>
              <RotateCcw aria-hidden="true" size="1rem" /> Restore {older}
            </Button>
          )}
        </div>
        <fieldset className={styles.list}>
          <legend className="visually-hidden">Choose two versions</legend>
          <ol>
            {all.map((item) => (
              <Row
                key={item.version}
                version={item}
                isCurrent={item.version === version}
                {...{ one, other, setOne, setOther }}
              />
            ))}
          </ol>
        </fieldset>
      </div>
      <section className={styles.comparison} aria-live="polite" aria-label="What changed">
        {one !== other && older > 0 ? (
          <Comparison id={id} one={one} other={other} />
        ) : (
          <p className={styles.quiet}>Choose two versions to see what changed between them.</p>
        )}
      </section>
    </div>
  );
}
