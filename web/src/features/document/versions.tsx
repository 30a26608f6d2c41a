import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { DELETED_FOLDER } from "../../../../src/contract/activity-words.ts";
import { type Document, type DocumentVersion, documentsApi } from "../../api/documents.ts";
import { Loading, Problem } from "../../kit/states.tsx";
import { capitalized } from "../../kit/text.ts";
import styles from "../../kit/versions.module.css";
import { Versions } from "../../kit/versions.tsx";
import { runWithToast } from "../../state/run-with-toast.ts";
import { folderPathName, useFolders } from "../folders/folders.ts";
import { publishDocument } from "./data.ts";
import { filingDifferences, filingText } from "./what-changed.ts";
import { versionQuery, versionsQuery, versionWriter } from "./writer.tsx";
import { writingOf } from "./writing.ts";

const Diff = lazy(() => import("./compare.tsx").then((module) => ({ default: module.UnifiedDiff })));

const restore = (document: Document, version: number) =>
  runWithToast(async (changes) => {
    const based = { version: document.version, changes };
    const restored = await documentsApi.restoreVersion(document.id, version, based);
    publishDocument(restored);
    return `Version ${version} restored as version ${restored.version}`;
  });

type ChangeProps = { name: string; before: string; after: string; isChanged?: boolean };

const Change = ({ name, before, after, isChanged = before !== after }: ChangeProps) =>
  isChanged && (
    <div className={styles.change}>
      <dt>{name}</dt>
      <dd>
        {before && <del>{before}</del>} {after && <ins>{after}</ins>}
      </dd>
    </div>
  );

function Differences({ before, after }: { before: DocumentVersion; after: DocumentVersion }) {
  const { data: folders } = useFolders();
  const isMoved = before.folder_id !== after.folder_id;
  const pathOf = ({ folder_id }: DocumentVersion) =>
    folder_id === null ? "" : folderPathName(folders ?? [], folder_id) || DELETED_FOLDER;
  const [old, now] = [writingOf(before.content), writingOf(after.content)];
  const isTextChanged = old.text !== now.text;
  const isSame =
    !isTextChanged &&
    before.title === after.title &&
    !isMoved &&
    before.tags.join() === after.tags.join() &&
    old.kind === now.kind;
  return (
    <div className={styles.differences}>
      {isSame && <p className={styles.quiet}>No changes between these versions.</p>}
      <dl className={styles.changes}>
        <Change name="Title" before={before.title} after={after.title} />
        <Change
          name="Folder"
          before={pathOf(before)}
          after={pathOf(after)}
          isChanged={folders !== undefined && isMoved}
        />
        <Change name="Tags" before={before.tags.join(", ")} after={after.tags.join(", ")} />
      </dl>
      {isTextChanged && (
        <Suspense fallback={<Loading />}>
          <Diff kind={now.kind} before={old.text} after={now.text} />
        </Suspense>
      )}
    </div>
  );
}

function Comparison({ id, older, newer }: { id: string; older: number; newer: number }) {
  const before = useQuery(versionQuery(id, older));
  const after = useQuery(versionQuery(id, newer));
  const problem = before.error ?? after.error;
  if (problem) return <Problem problem={problem} />;
  if (!before.data || !after.data) return <Loading />;
  return <Differences before={before.data} after={after.data} />;
}

/** The earlier versions of a document. */
export function VersionsView({ document, onLeave }: { document: Document; onLeave: () => void }) {
  const { id, version } = document;
  const [isRestored, setRestored] = useState(false);
  const list = useQuery(versionsQuery(id, version));
  const current = useQuery(versionQuery(id, version));
  const folders = useFolders().data;
  if (list.error) return <Problem problem={list.error} retry={list.refetch} />;
  if (!list.data) return <Loading />;
  const all = [...(current.data ? [current.data] : []), ...list.data.items];
  const filing = all.map((one, place) => {
    const before = all[place + 1];
    return before && folders ? filingText(filingDifferences(before, one, folders)) : "";
  });
  return (
    <Versions
      key={version}
      versions={all.map((one, place) => ({
        ...one,
        writer: capitalized(versionWriter(one)),
        filing: filing[place],
        isFiled: all[place + 1]?.next_has_same_text,
      }))}
      current={version}
      isRestored={isRestored}
      onRestore={(older) => {
        setRestored(true);
        void restore(document, older);
      }}
      onLeave={onLeave}
      compare={(older, newer) => <Comparison id={id} older={older} newer={newer} />}
    />
  );
}
