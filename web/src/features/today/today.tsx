import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { screenPath } from "../../../../src/contract/paths.ts";
import type { Summary } from "../../api/dashboard.ts";
import { ButtonLink } from "../../kit/button.tsx";
import { fullDay } from "../../kit/dates.ts";
import { FilePlus } from "../../kit/icons.tsx";
import { KeysButton } from "../../kit/keys-button.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { useNow, useTimezone, useToday } from "../../kit/time.tsx";
import { captures } from "../../state/captures.ts";
import { useWaiting } from "../../state/outbox.ts";
import { refreshResources } from "../../state/queries.ts";
import { readAllRecords } from "../../state/read-records.ts";
import { isPastDue } from "../records/due.ts";
import { useRecordsBeingChanged, useWithOptimisticChanges } from "../records/optimistic-changes.ts";
import { QuickEntry } from "../records/quick-entry.tsx";
import { RecordList } from "../records/record-list.tsx";
import type { RecordItem } from "../records/row.ts";
import type { RecordSection, WholeSection } from "../records/section.ts";
import { useSummary } from "../things/summary.ts";
import { type AgendaLists, useAgenda } from "./agenda.ts";
import { withCounts } from "./section-counts.ts";
import { agendaSections, mergeRecords } from "./sections.ts";
import styles from "./today.module.css";
import { todayQueries } from "./today-queries.ts";
import { WeekStrip } from "./week-strip.tsx";

const Numbers = lazy(() => import("./numbers.tsx"));
const Welcome = lazy(() => import("./welcome.tsx"));

type Counts = Pick<Summary, "overdue" | "due_today" | "stale">;

/** The counts of the sections as they are shown; undefined while one of them is not known. */
function countsIn(sections: readonly RecordSection[], now: string): Counts | undefined {
  const sizeOf = (key: string) => {
    const { rows = [], total = rows.length } = sections.find((section) => section.key === key) ?? {};
    return total === "unknown" ? Number.NaN : total;
  };
  const isStale = ({ status, days_stale }: RecordItem) => status === "active" && days_stale !== undefined;
  const elsewhere = sections.filter(({ key }) => key !== "stale").flatMap(({ rows }) => rows);
  const today = sections.find(({ key }) => key === "today")?.rows ?? [];
  const passed = today.filter((row) => isPastDue(row, now)).length;
  const counts = {
    overdue: sizeOf("overdue") + passed,
    due_today: sizeOf("today") - passed,
    stale: sizeOf("stale") + elsewhere.filter(isStale).length,
  };
  return Object.values(counts).some(Number.isNaN) ? undefined : counts;
}

/** "3 overdue, 2 more due today, 4 stale". Records whose time has passed today count as overdue. */
function leadOf({ overdue, due_today, stale }: Counts): string {
  const parts = [
    overdue > 0 && `${overdue} overdue`,
    due_today > 0 && `${due_today} ${overdue > 0 ? "more " : ""}due today`,
    stale > 0 && `${stale} stale`,
  ];
  return parts.filter(Boolean).join(", ") || "nothing due";
}

const isNew = ({ by_status }: Summary) => Object.values(by_status).every((count) => count === 0);

const Done = () => (
  <Empty title="Nothing needs you today">
    <p>Nothing overdue, due in the next 7 days, or going stale. Enjoy your day.</p>
    <Link href="/records">See all active records</Link>
  </Empty>
);

/** Rows shown per section. A thousand rows take the browser seconds to render. */
const SHOWN_ROWS = 100;

/** The sections with their first rows, and a button for the others. */
function useShortened(sections: readonly RecordSection[]): RecordSection[] {
  const [expanded, setExpanded] = useState<readonly string[]>([]);
  return sections.map((section) => {
    const { key, rows, total = rows.length } = section;
    if (rows.length <= SHOWN_ROWS || expanded.includes(key)) return section;
    const showAll = () => setExpanded([...expanded, key]);
    return { ...section, rows: rows.slice(0, SHOWN_ROWS), total, showAll };
  });
}

const OVERDUE: WholeSection = {
  name: "Reschedule all",
  action: "reschedule",
  read: async () => (await readAllRecords(todayQueries().overdue)).items,
};

/** The records of the day, with pending changes applied. */
function useDayRecords(answers: AgendaLists | undefined): RecordItem[] {
  const expected = useWithOptimisticChanges();
  const changing = useRecordsBeingChanged();
  if (!answers) return [];
  const loaded = mergeRecords(answers);
  const known = new Set(loaded.map(({ id }) => id));
  return expected([...loaded, ...changing.filter(({ id }) => !known.has(id))]);
}

function useSections(answers: AgendaLists | undefined, records: readonly RecordItem[]): RecordSection[] {
  const now = useNow();
  const timezone = useTimezone();
  if (!answers) return [];
  const sections = agendaSections(records, now, timezone);
  const today = now.slice(0, "2026-11-27".length);
  return withCounts(sections, answers, { today, timezone }).map((section) => ({
    ...section,
    fold: `today-${section.key}`,
    ...(section.key === "overdue" && { whole: OVERDUE }),
  }));
}

/** Reloads the counts when another record becomes overdue. */
function useRefreshCounts(sections: readonly RecordSection[]): void {
  const passedCount = sections.find(({ key }) => key === "today")?.now?.after ?? 0;
  const before = useRef(passedCount);
  useEffect(() => {
    if (passedCount > before.current) void refreshResources("dashboard");
    before.current = passedCount;
  }, [passedCount]);
}

type AgendaProps = {
  summary: ReturnType<typeof useSummary>;
  agenda: ReturnType<typeof useAgenda>;
  records: readonly RecordItem[];
  sections: readonly RecordSection[];
};

function Agenda({ summary: { data: summary, error, refetch }, agenda, records, sections: all }: AgendaProps) {
  const today = useToday();
  const { answers, isComplete, problem = error } = agenda;
  const retry = () => {
    agenda.retry();
    if (error) void refetch();
  };
  const waiting = useWaiting(captures);
  const sections = useShortened(all);
  useRefreshCounts(sections);
  if (problem && !(answers && summary)) return <Problem problem={problem} retry={retry} />;
  if (!answers || !summary) return <Loading />;
  if (isNew(summary))
    return (
      <Suspense fallback={<Loading />}>
        <Welcome />
      </Suspense>
    );
  return (
    <div className={styles.day}>
      <div className={styles.list}>
        <WeekStrip due={answers.due} records={records} today={today} />
        <RecordList sections={sections} label="Today">
          {isComplete && waiting.length === 0 && <Done />}
        </RecordList>
        {!isComplete && <Loading />}
      </div>
      <Suspense>{isComplete && <Numbers summary={summary} />}</Suspense>
    </div>
  );
}

/** Everything that needs attention today, as one list. */
export function Today() {
  const today = useToday();
  const now = useNow();
  const summary = useSummary();
  const agenda = useAgenda(summary.data?.overdue);
  const records = useDayRecords(agenda.answers);
  const sections = useSections(agenda.answers, records);
  // What waits, or is being undone, is not in the summary yet.
  const isWaiting = useRecordsBeingChanged().length > 0 && agenda.isComplete;
  const counts = (isWaiting && countsIn(sections, now)) || summary.data;
  const day = fullDay(today).replace(/ \d+$/, "");
  return (
    <Screen
      title="Today"
      lead={summary.data && counts && !isNew(summary.data) ? `${day}: ${leadOf(counts)}` : day}
      actions={
        <>
          <ButtonLink href={screenPath("document", "new")}>
            <FilePlus size="1rem" /> New document
          </ButtonLink>
          <KeysButton />
        </>
      }
    >
      <QuickEntry />
      <Agenda summary={summary} agenda={agenda} records={records} sections={sections} />
    </Screen>
  );
}
