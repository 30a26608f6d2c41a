import { useDeferredValue, useState } from "react";
import { Link } from "wouter";
import type { Summary } from "../../api/dashboard.ts";
import { fullDay } from "../../kit/dates.ts";
import { KeysButton } from "../../kit/keys-button.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { useTimezone, useToday } from "../../kit/time.tsx";
import { useChanging, useExpected } from "../records/pending.ts";
import { QuickEntry } from "../records/quick-entry.tsx";
import { RecordList, type Section } from "../records/record-list.tsx";
import { useSummary } from "../things/summary.ts";
import { type Answers, useAgenda } from "./agenda.ts";
import { Numbers } from "./numbers.tsx";
import { recordsOf, sectionsOf } from "./sections.ts";
import styles from "./today.module.css";
import { Welcome } from "./welcome.tsx";

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

/** As many rows as anybody works off in one go; a thousand take the browser seconds to draw. */
const SHOWN = 100;
/** What fits on a screen is drawn first. */
const FIRST = 20;

/** The sections with their first rows, and a way to the others. */
function useShortened(sections: readonly Section[]): Section[] {
  const [whole, setWhole] = useState<readonly string[]>([]);
  const shown = useDeferredValue(SHOWN, FIRST);
  return sections.map((section) => {
    const { key, rows } = section;
    if (rows.length <= shown || whole.includes(key)) return section;
    const cut = { ...section, rows: rows.slice(0, shown), total: rows.length };
    return rows.length > SHOWN ? { ...cut, showAll: () => setWhole([...whole, key]) } : cut;
  });
}

/** The sections of the day with the records as they will be. */
function useSections(answers: Answers | undefined): Section[] {
  const today = useToday();
  const timezone = useTimezone();
  const expected = useExpected();
  const changing = useChanging();
  if (!answers) return [];
  const answered = recordsOf(answers);
  const known = new Set(answered.map(({ id }) => id));
  const others = changing.filter(({ id }) => !known.has(id));
  return sectionsOf(expected([...answered, ...others]), today, timezone);
}

function Agenda() {
  const { data: summary, error } = useSummary();
  const { answers, isComplete, problem = error, retry } = useAgenda(summary?.overdue);
  const sections = useShortened(useSections(answers));
  if (problem && !(answers && summary)) return <Problem problem={problem} retry={retry} />;
  if (!answers || !summary) return <Loading />;
  if (isNew(summary)) return <Welcome />;
  return (
    <div className={styles.day}>
      <div>
        <RecordList sections={sections} label="Today">
          {isComplete && <Done />}
        </RecordList>
        {!isComplete && <Loading />}
      </div>
      {isComplete && <Numbers summary={summary} due={answers.due.items} />}
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
