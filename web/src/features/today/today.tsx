import { lazy, Suspense, useDeferredValue, useEffect, useRef, useState } from "react";
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
import { useRecordsBeingChanged, useWithOptimisticChanges } from "../records/optimistic-changes.ts";
import { QuickEntry } from "../records/quick-entry.tsx";
import { RecordList } from "../records/record-list.tsx";
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

/** "3 overdue, 2 more due today, 4 stale". Records whose time has passed today count as overdue. */
function leadOf({ overdue, due_today, stale }: Summary): string {
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
/** Rows that fit on a screen, which are rendered first. */
const FIRST_ROWS = 20;

/** The sections with their first rows, and a button for the others. */
function useShortened(sections: readonly RecordSection[]): RecordSection[] {
  const [expanded, setExpanded] = useState<readonly string[]>([]);
  const shown = useDeferredValue(SHOWN_ROWS, FIRST_ROWS);
  return sections.map((section) => {
    const { key, rows } = section;
    if (rows.length <= shown || expanded.includes(key)) return section;
    const cut = { ...section, rows: rows.slice(0, shown), total: section.total ?? rows.length };
    return rows.length > SHOWN_ROWS ? { ...cut, showAll: () => setExpanded([...expanded, key]) } : cut;
  });
}

const OVERDUE: WholeSection = {
  name: "Reschedule all",
  action: "reschedule",
  read: async () => (await readAllRecords(todayQueries().overdue)).items,
};

/** The sections of the day, with pending changes applied. */
function useSections(answers: AgendaLists | undefined): RecordSection[] {
  const now = useNow();
  const timezone = useTimezone();
  const expected = useWithOptimisticChanges();
  const changing = useRecordsBeingChanged();
  if (!answers) return [];
  const loaded = mergeRecords(answers);
  const known = new Set(loaded.map(({ id }) => id));
  const others = changing.filter(({ id }) => !known.has(id));
  const sections = agendaSections(expected([...loaded, ...others]), now, timezone);
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

function Agenda() {
  const today = useToday();
  const { data: summary, error } = useSummary();
  const { answers, isComplete, problem = error, retry } = useAgenda(summary?.overdue);
  const waiting = useWaiting(captures);
  const sections = useShortened(useSections(answers));
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
        <WeekStrip due={answers.due} today={today} />
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
  const summary = useSummary().data;
  const day = fullDay(today).replace(/ \d+$/, "");
  return (
    <Screen
      title="Today"
      lead={summary && !isNew(summary) ? `${day}: ${leadOf(summary)}` : day}
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
      <Agenda />
    </Screen>
  );
}
