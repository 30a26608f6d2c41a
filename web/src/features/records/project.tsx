import { useLocation } from "wouter";
import { textChangedAt } from "../../api/documents.ts";
import type { Memory, MemoryType } from "../../api/memories.ts";
import { ButtonLink } from "../../kit/button.tsx";
import { Plus, Search } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Section } from "../../kit/section.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { ShortMomentIn, useTimezone, useToday } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { folderPathName, useFolders } from "../folders/folders.ts";
import { currentProject } from "../things/project-path.ts";
import { ThingList, ThingRow } from "../things/thing-list.tsx";
import { useWithOptimisticChanges } from "./optimistic-changes.ts";
import styles from "./project.module.css";
import { foldersWithName, useProjectDocuments, useProjectRecords } from "./project-data.ts";
import { RecordList } from "./record-list.tsx";

const SECTIONS: readonly (readonly [type: MemoryType, title: string])[] = [
  ["commitment", "Commitments"],
  ["blocker", "Blockers"],
  ["decision", "Decisions"],
  ["pattern", "Patterns"],
  ["preference", "Preferences"],
  ["context", "Context"],
];

const NO_DUE_DATE = "9999-12-31";

/** Earliest due date first; without one, last changed first. */
const byDue = (one: Memory, other: Memory): number => {
  const [due, otherDue] = [one.due_date ?? NO_DUE_DATE, other.due_date ?? NO_DUE_DATE];
  if (due !== otherDue) return due < otherDue ? -1 : 1;
  return one.updated_at < other.updated_at ? 1 : -1;
};

const sectionsOf = (rows: readonly Memory[]) =>
  SECTIONS.map(([type, title]) => ({
    key: type,
    title,
    quiet: "type" as const,
    rows: rows.filter(({ memory_type }) => memory_type === type).sort(byDue),
  })).filter((section) => section.rows.length > 0);

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

function Records({ name }: { name: string }) {
  const { data, error, refetch } = useProjectRecords(name);
  const expected = useWithOptimisticChanges();
  if (error && !data) return <Problem problem={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const active = expected(data.items).filter(({ status }) => status === "active");
  const more = data.total - data.items.length;
  return (
    <>
      <RecordList label={`Records of ${name}`} sections={sectionsOf(active)}>
        <NoOpenRecords name={name} />
      </RecordList>
      {active.length > 0 && (
        <div>
          <ButtonLink kind="quiet" href={allRecords(name)}>
            {more > 0
              ? `${more.toLocaleString("en-GB")} more, including closed`
              : "All records, including closed"}
          </ButtonLink>
        </div>
      )}
    </>
  );
}

/** "3 active records, 1 overdue" */
function leadOf(total: number, items: readonly Memory[], today: string): string {
  const overdue = items.filter(({ due_date }) => due_date !== null && due_date < today).length;
  const records = `${total.toLocaleString("en-GB")} active ${total === 1 ? "record" : "records"}`;
  return overdue > 0 ? `${records}, ${overdue} overdue` : records;
}

/** A project: its active records by type, and its documents. */
export function Project() {
  const [, navigate] = useLocation();
  const name = currentProject() ?? "";
  const today = useToday();
  const { data } = useProjectRecords(name);
  const newRecordPath = `/records?new=${encodeURIComponent(`+"${name}" `)}`;
  useShortcuts({ n: () => navigate(newRecordPath) });
  return (
    <Screen
      title={name}
      lead={data ? leadOf(data.total, data.items, today) : "Project"}
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
