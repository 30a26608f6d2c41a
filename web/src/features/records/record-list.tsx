import {
  Fragment,
  lazy,
  type ReactNode,
  Suspense,
  startTransition,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button } from "../../kit/button.tsx";
import { type Shortcuts, useShortcuts } from "../../kit/shortcuts.ts";
import { useToday } from "../../kit/time.tsx";
import { isWayBack } from "../../state/way-back.ts";
import { type Place, useCursor } from "./cursor.ts";
import styles from "./record-list.module.css";
import { type Handlers, RecordRow } from "./record-row.tsx";
import type { Row } from "./row.ts";
import { begin, StepDialog } from "./step-dialog.tsx";
import type { Asked } from "./step-dialogs.tsx";
import { type Step, take } from "./steps.ts";

/** Loaded soon after the first screen (shell/over.tsx). */
const More = lazy(() => import("./record-bars.tsx").then(({ More: one }) => ({ default: one })));
const SelectionBar = lazy(() =>
  import("./record-bars.tsx").then(({ SelectionBar: one }) => ({ default: one })),
);

export type Section = {
  key: string;
  /** Without one the section has no heading. */
  title?: string;
  hint?: string;
  rows: readonly Row[];
  /** How many there are, if not all of them are here. */
  total?: number;
  /** Shows all of them. */
  showAll?: () => void;
  tone?: "late";
  /** What its title says already. */
  quiet?: "when" | "type";
  /** What time it is, and how many of the rows are of earlier hours or of none: a line says so below them. */
  now?: { time: string; after: number };
};

/** The selected ids that are still in the list. */
function useSelection(rows: readonly Row[]) {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const selected = useMemo(() => rows.filter(({ id }) => ids.has(id)), [rows, ids]);
  const toggle = useCallback(
    (id: number) =>
      setIds((old) => new Set(old.has(id) ? [...old].filter((one) => one !== id) : [...old, id])),
    [],
  );
  const select = useCallback((all: readonly Row[]) => setIds(new Set(all.map(({ id }) => id))), []);
  return { selected, toggle, select };
}

function Heading({ section }: { section: Section }) {
  const count = section.total ?? section.rows.length;
  return (
    <h2 className={styles.heading} data-tone={section.tone}>
      {section.title} <span className={styles.count}>{count.toLocaleString("en-GB")}</span>
      <span className="visually-hidden">{count === 1 ? " record" : " records"}</span>
      {section.hint && <span className={styles.sectionHint}>{section.hint}</span>}
    </h2>
  );
}

const FIRST_ROWS = 60;
const MORE_ROWS = 100;

/**
 * How many rows are in the page: those in sight at once, the others a few at a time, so that nothing has to wait for them.
 * On the way back all of them, because the browser scrolls to where it was.
 */
function useGrowing(total: number): number {
  const [count, setCount] = useState(() => (isWayBack() ? total : FIRST_ROWS));
  useEffect(() => {
    if (count >= total) return undefined;
    const timer = setTimeout(() => startTransition(() => setCount(count + MORE_ROWS)));
    return () => clearTimeout(timer);
  }, [count, total]);
  return count;
}

/** The first rows of all sections together. */
function firstOf<Known extends Section>(sections: readonly Known[], count: number): Known[] {
  let left = count;
  return sections.flatMap((section) => {
    const rows = section.rows.slice(0, Math.max(0, left));
    left -= section.rows.length;
    return rows.length > 0 ? [{ ...section, total: section.total ?? section.rows.length, rows }] : [];
  });
}

const Now = ({ time }: { time: string }) => (
  <li className={styles.now}>
    <time dateTime={time}>Now, {time}</time>
  </li>
);

type RowsProps = Pick<Section, "rows" | "now"> & {
  current: number | undefined;
  selected: readonly Row[];
  handlers: Handlers;
};

function Rows({ rows, now, current, selected, handlers }: RowsProps) {
  const today = useToday();
  return (
    <ul>
      {rows.map((row, place) => (
        <Fragment key={row.id}>
          {now?.after === place && <Now time={now.time} />}
          <RecordRow
            row={row}
            today={today}
            isCurrent={row.id === current}
            isSelected={selected.includes(row)}
            {...handlers}
          />
        </Fragment>
      ))}
      {now?.after === rows.length && <Now time={now.time} />}
    </ul>
  );
}

/** Reads lines of a section's key and the ids of its records. */
const placesIn = (order: string): Place[] =>
  order.split("\n").flatMap((line) => {
    const [section = "", ...ids] = line.split(" ");
    return ids.map((id) => ({ id: Number(id), section }));
  });

/** The sections with something in them, their rows as one, and their places, which change only with the order. */
function useShown(sections: readonly Section[]) {
  const shown = sections.filter(({ rows }) => rows.length > 0);
  const rows = useRef<readonly Row[]>([]);
  rows.current = shown.flatMap((section) => section.rows);
  const order = shown.map(({ key, rows }) => [key, ...rows.map(({ id }) => id)].join(" ")).join("\n");
  const places = useMemo(() => placesIn(order), [order]);
  return { shown, rows, places };
}

/** Whether the focus is on something else that the screen lists, such as a document of a project. */
const isElsewhere = () => document.activeElement?.closest("#main li:not([data-record])") != null;

type Props = {
  /** With the records as they will be. */
  sections: readonly Section[];
  label: string;
  /** Instead of the list, when nothing is in it. */
  children: ReactNode;
};

/**
 * Records in sections, worked off by keyboard: j and k or the arrows move, Enter opens, e, d, s, c, a, o and # act, x selects.
 * Actions show at once.
 */
export function RecordList({ sections, label, children }: Props) {
  const { shown, rows, places } = useShown(sections);
  const inPage = firstOf(shown, useGrowing(places.length));
  const { current, setCurrent, move } = useCursor(places);
  const { selected, toggle, select } = useSelection(rows.current);
  const [asked, setAsked] = useState<Asked>();
  const [more, setMore] = useState<Row>();
  const step = useCallback(
    (targets: readonly Row[], action: Step["action"]) => {
      if (!begin(action, targets, setAsked)) select([]);
    },
    [select],
  );
  const onTargets = (action: Step["action"]) => () => {
    if (isElsewhere()) return;
    const target = rows.current.filter(({ id }) => id === current);
    if (selected.length === 0 && target.length === 0) move(1);
    else step(selected.length > 0 ? selected : target, action);
  };
  useShortcuts(
    listKeys({
      move,
      onTargets,
      toggle: () => current && !isElsewhere() && toggle(current),
      clear: () => select([]),
    }),
  );
  const handlers = useMemo(
    () => ({
      onFocus: (row: Row) => setCurrent(row.id),
      onSelect: (row: Row) => toggle(row.id),
      onMore: setMore,
      onStep: (row: Row, action: Step["action"], at?: "once") =>
        at === "once" && action === "resolve" ? void take([row], { action }) : step([row], action),
    }),
    [setCurrent, toggle, step],
  );
  if (shown.length === 0) return <>{children}</>;
  return (
    <div className={styles.list} data-selecting={selected.length > 0 || undefined}>
      {inPage.map((section) => (
        <section key={section.key} aria-label={section.title ?? label} data-quiet={section.quiet}>
          {section.title && <Heading section={section} />}
          <Rows
            rows={section.rows}
            {...(section.now && { now: section.now })}
            current={current ?? places[0]?.id}
            selected={selected}
            handlers={handlers}
          />
          {section.showAll && <Button onPress={section.showAll}>Show all {section.total}</Button>}
        </section>
      ))}
      <Suspense>
        {selected.length > 0 && (
          <SelectionBar
            rows={selected}
            all={rows.current}
            onStep={(action) => step(selected, action)}
            onSelect={select}
          />
        )}
        {asked && <StepDialog {...asked} onTake={() => select([])} onClose={() => setAsked(undefined)} />}
        {more && (
          <More
            row={more}
            onStep={(action) => step([more], action)}
            onSelect={() => toggle(more.id)}
            onClose={() => setMore(undefined)}
          />
        )}
      </Suspense>
    </div>
  );
}

type Keys = {
  move: (by: number) => void;
  onTargets: (action: Step["action"]) => () => void;
  toggle: () => void;
  clear: () => void;
};

const listKeys = ({ move, onTargets, toggle, clear }: Keys): Shortcuts => ({
  j: () => move(1),
  k: () => move(-1),
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  x: toggle,
  Escape: clear,
  e: onTargets("resolve"),
  d: onTargets("defer"),
  s: onTargets("skip"),
  c: onTargets("confirm"),
  a: onTargets("archive"),
  o: onTargets("reopen"),
  "#": onTargets("delete"),
});
