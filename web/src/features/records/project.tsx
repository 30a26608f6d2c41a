import { useLocation } from "wouter";
import { textChangedAt } from "../../api/document-times.ts";
import type { Memory } from "../../api/memories.ts";
import { ButtonLink } from "../../kit/button.tsx";
import { Plus, Search } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Section } from "../../kit/section.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { formatCount } from "../../kit/text.ts";
import { ShortMomentIn, useNow, useTimezone, useToday } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { folderPathName, useFolders } from "../folders/folders.ts";
import { currentProject } from "../things/project-path.ts";
import { ThingList, ThingRow } from "../things/thing-list.tsx";
import { dueSortKey, isPastDue } from "./due.ts";
import { MoreOnScroll } from "./more-on-scroll.tsx";
import { useWithOptimisticChanges } from "./optimistic-changes.ts";
import styles from "./project.module.css";
import {
  foldersWithName,
  loadedSections,
  type ProjectPage,
  useProjectDocuments,
  useProjectRecords,
} from "./project-data.ts";
import { RecordList } from "./record-list.tsx";

const allRecords = (name: string) => `/records?status=all&project=${encodeURIComponent(name)}`;
const searchFor = (name: string) => `/search?q=${encodeURIComponent(`"${name.replaceAll('"', " ")}"`)}`;

function Documents({ name }: { name: string }) {
  const timezone = useTimezone();
  const today = useToday();
  const { data: folders = [] } = useFolders();
  const { data, error, refetch } = useProjectDocuments(name);
  const [folder] = foldersWithName(folders, name);
  return (
    <Section
      title="Documents"
      lead={`Tagged with ${name}, or in a folder with that name.`}
      actions={
        <ButtonLink kind="quiet" href={folder ? `/documents/new?folder=${folder.id}` : "/documents/new"}>
          <Plus size="1rem" /> New document
        </ButtonLink>
      }
    >
      {error && !data && <Problem problem={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <p className={styles.quiet}>
          None yet. Tag a document with “{name}”, or create a folder with that name.
        </p>
      )}
      {data && data.length > 0 && (
        <ThingList>
          {data.map((document) => (
            <ThingRow
              key={document.id}
              href={`/documents/${document.id}`}
              kind="document"
              title={titleText(document.title)}
              facts={
                <>
                  {document.folder_id && <span>{folderPathName(folders, document.folder_id)}</span>}
                  <span>
                    <ShortMomentIn at={textChangedAt(document)} timezone={timezone} today={today} />
                  </span>
                </>
              }
            />
          ))}
        </ThingList>
      )}
      <div>
        <ButtonLink kind="quiet" href={searchFor(name)}>
          <Search size="1rem" /> Everything that mentions it
        </ButtonLink>
      </div>
    </Section>
  );
}

const NoOpenRecords = ({ name }: { name: string }) => (
  <Empty title={`No open records in ${name}`}>
    <p>
      Active records of this project show up here: what you and your assistants promise, decide or wait for.
    </p>
    <ButtonLink href={allRecords(name)}>Show closed records too</ButtonLink>
  </Empty>
);

const dueLast = (row: Memory): string => (row.due_date ? dueSortKey(row) : "~");
const byDue = (one: Memory, other: Memory) =>
  dueLast(one) < dueLast(other) ? -1 : Number(dueLast(one) > dueLast(other));

function Records({ name }: { name: string }) {
  const { data, error, refetch, readAll, ...pages } = useProjectRecords(name);
  const expected = useWithOptimisticChanges();
  if (error && !data) return <Problem problem={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const sections = loadedSections(data.pages).map(({ type, title, rows, left }) => {
    const active = expected(rows).filter(({ status }) => status === "active");
    return {
      ...{ key: type, title, quiet: "type" as const, rows: active.sort(byDue) },
      total: left === undefined ? ("unknown" as const) : active.length + left,
    };
  });
  const shown = sections.filter(({ rows }) => rows.length > 0);
  const total = data.pages[0]?.total ?? 0;
  return (
    <>
      <RecordList
        label={`Records of ${name}`}
        sections={shown}
        whole={pages.hasNextPage ? { total, read: readAll } : undefined}
        end={<MoreOnScroll {...pages} more="Show more records" />}
      >
        {/* The rows that were loaded have all left; more are on their way. */}
        {pages.hasNextPage ? null : <NoOpenRecords name={name} />}
      </RecordList>
      {shown.length > 0 && !pages.hasNextPage && (
        <div>
          <ButtonLink kind="quiet" href={allRecords(name)}>
            All records, including closed
          </ButtonLink>
        </div>
      )}
    </>
  );
}

/** "3 active records, 1 overdue" */
function leadOf({ total, items }: ProjectPage, now: string): string {
  const overdue = items.filter((one) => isPastDue(one, now)).length;
  const records = `${formatCount(total)} active ${total === 1 ? "record" : "records"}`;
  const more = overdue === items.length && total > overdue ? "at least " : "";
  return overdue > 0 ? `${records}, ${more}${overdue} overdue` : records;
}

/** A project: its active records by type, and its documents. */
export function Project() {
  const [, navigate] = useLocation();
  const name = currentProject() ?? "";
  const now = useNow();
  const first = useProjectRecords(name).data?.pages[0];
  const newRecordPath = `/records?new=${encodeURIComponent(`+"${name}" `)}`;
  useShortcuts({ n: () => navigate(newRecordPath) });
  return (
    <Screen
      title={name}
      lead={first ? leadOf(first, now) : "Project"}
      back={{ href: "/records", name: "Records" }}
      actions={
        <ButtonLink kind="primary" href={newRecordPath}>
          <Plus size="1rem" /> New record <Key>n</Key>
        </ButtonLink>
      }
    >
      <div className={styles.project}>
        <Records name={name} />
        <Documents name={name} />
      </div>
    </Screen>
  );
}
