import { Link } from "wouter";
import type { Summary } from "../api.ts";
import { Screen } from "../kit/screen.tsx";
import { fullDay } from "../kit/dates.ts";
import { KeysButton } from "../kit/keys-button.tsx";
import { QuickEntry } from "../features/records/quick-entry.tsx";
import { RecordList } from "../features/records/record-list.tsx";
import { Empty, Loading, Problem } from "../kit/states.tsx";
import { useTimezone, useToday } from "../parts/time.tsx";
import { useSummary } from "../features/records/summary.ts";
import { sectionsOf, staysIn, useAgenda } from "./agenda.ts";
import { Numbers } from "../features/today/numbers.tsx";
import styles from "../features/today/today.module.css";
import { Welcome } from "../features/today/welcome.tsx";

/** "3 overdue, 2 due today, 4 stale" */
function leadOf({ overdue, due_today, stale }: Summary): string {
  const parts = [
    overdue > 0 && `${overdue} overdue`,
    due_today > 0 && `${due_today} due today`,
    stale > 0 && `${stale} stale`,
  ];
  return parts.filter(Boolean).join(", ") || "nothing due";
}

const isNew = ({ by_status }: Summary) => Object.values(by_status).every((count) => count === 0);

const Done = () => (
  <Empty title="Nothing needs you today">
    <p>Nothing is overdue, due within a week, or waiting for a sign of life. Enjoy the day.</p>
    <Link href="/records">See all active records</Link>
  </Empty>
);

function Agenda() {
  const today = useToday();
  const timezone = useTimezone();
  const summary = useSummary().data;
  const { answers, problem, retry } = useAgenda(today);
  if (problem && !answers) return <Problem problem={problem} retry={retry} />;
  if (!answers || !summary) return <Loading />;
  if (isNew(summary)) return <Welcome />;
  return (
    <div className={styles.day}>
      <RecordList sections={sectionsOf(answers, today, timezone)} keep={staysIn} label="Today">
        <Done />
      </RecordList>
      <Numbers summary={summary} due={answers.due.items} />
    </div>
  );
}

/** What needs attention, worked off as one list. */
export function Today() {
  const today = useToday();
  const summary = useSummary().data;
  const day = fullDay(today).replace(/ \d+$/, "");
  return (
    <Screen
      title="Today"
      lead={summary && !isNew(summary) ? `${day}: ${leadOf(summary)}` : day}
      actions={<KeysButton />}
    >
      <QuickEntry />
      <Agenda />
    </Screen>
  );
}
