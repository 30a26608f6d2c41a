import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useExpected } from "../../records/pending.ts";
import type { Row } from "./row.ts";
import { type Step, take } from "../../records/steps.ts";
import { More, SelectionBar } from "./record-bars.tsx";
import styles from "./record-row.module.css";
import { type Handlers, RecordRow } from "./record-row.tsx";
import { type Shortcuts, useShortcuts } from "../../kit/shortcuts.ts";
import { type Asked, begin, StepDialog } from "./step-dialogs.tsx";
import { useToday } from "../../parts/time.tsx";

export type Section = {
  key: string;
  /** Without one the section has no heading. */
  title?: string;
  hint?: string;
  rows: readonly Row[];
  /** How many there are, if not all of them are here. */
  total?: number;
  tone?: "late";
  /** What its title says already. */
  quiet?: "when" | "type";
};

const DIALOG_MS = 60;

/** The link of a record in the document: focus is on it while the cursor is. */
const linkOf = (id: number) => document.querySelector<HTMLElement>(`[data-record="${id}"] a`) ?? undefined;

/** Where the focus goes on when a record has left: to the next one, and after the last one to the screen's title. */
const placeAfter = (next: number | undefined) =>
  next === undefined ? document.querySelector<HTMLElement>("#main h1") : linkOf(next);

const nothingFocused = () => document.activeElement === null || document.activeElement === document.body;

/**
 * Where the cursor of the list is. When its record has left the list, the next one that is still there takes the focus,
 * so that the list can be worked off.
 */
function useCursor(ids: readonly number[]) {
  const [current, setCurrent] = useState<number>();
  const before = useRef(ids);
  useEffect(() => {
    const old = before.current;
    before.current = ids;
    if (current === undefined || ids.includes(current)) return;
    const at = old.indexOf(current);
    const next = [...old.slice(at + 1), ...old.slice(0, Math.max(at, 0)).reverse()].find((id) =>
      ids.includes(id),
    );
    setCurrent(next);
    // A dialog that is closing gives the focus back first, to a row that is no longer there.
    setTimeout(() => nothingFocused() && placeAfter(next)?.focus(), DIALOG_MS);
  }, [ids, current]);
  const move = useCallback(
    (by: number) => {
      const at = current === undefined ? -1 : ids.indexOf(current);
      const next = at === -1 ? ids.at(by > 0 ? 0 : -1) : ids[Math.min(Math.max(at + by, 0), ids.length - 1)];
      if (next === undefined) return;
      setCurrent(next);
      const link = linkOf(next);
      link?.focus({ preventScroll: true });
      link?.closest("li")?.scrollIntoView({ block: "nearest" });
    },
    [ids, current],
  );
  return { current, setCurrent, move };
}

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

const Heading = ({ section }: { section: Section }) => (
  <h2 className={styles.heading} data-tone={section.tone}>
    {section.title} <span className={styles.count}>{section.total ?? section.rows.length}</span>
    {section.hint && <span className={styles.sectionHint}>{section.hint}</span>}
  </h2>
);

type RowsProps = {
  rows: readonly Row[];
  current: number | undefined;
  selected: readonly Row[];
  handlers: Handlers;
};

function Rows({ rows, current, selected, handlers }: RowsProps) {
  const today = useToday();
  return (
    <ul>
      {rows.map((row) => (
        <RecordRow
          key={row.id}
          row={row}
          today={today}
          isCurrent={row.id === current}
          isSelected={selected.includes(row)}
          {...handlers}
        />
      ))}
    </ul>
  );
}

type Keep = (row: Row, section: Section) => boolean;

/** What is in the list, as it will be; the rows as one, and their ids, which change only with the order. */
function useShown(sections: readonly Section[], keep: Keep) {
  const expected = useExpected();
  const shown = sections
    .map((section) => ({ ...section, rows: expected(section.rows).filter((row) => keep(row, section)) }))
    .filter(({ rows }) => rows.length > 0);
  const rows = useRef<readonly Row[]>([]);
  rows.current = shown.flatMap((section) => section.rows);
  const order = rows.current.map(({ id }) => id).join(" ");
  const ids = useMemo(() => (order === "" ? [] : order.split(" ").map(Number)), [order]);
  return { shown, rows, ids };
}

type Props = {
  sections: readonly Section[];
  /** Which of the records as they will be stay in a section. */
  keep: Keep;
  label: string;
  /** Instead of the list, when nothing is in it. */
  children: ReactNode;
};

/**
 * Records in sections, worked off by keyboard: j and k or the arrows move, Enter opens, e, d, c, a, o and # act, x selects.
 * Actions show at once.
 */
export function RecordList({ sections, keep, label, children }: Props) {
  const { shown, rows, ids } = useShown(sections, keep);
  const { current, setCurrent, move } = useCursor(ids);
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
    const target = rows.current.filter(({ id }) => id === current);
    if (selected.length === 0 && target.length === 0) move(1);
    else step(selected.length > 0 ? selected : target, action);
  };
  useShortcuts(
    listKeys({ move, onTargets, toggle: () => current && toggle(current), clear: () => select([]) }),
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
      {shown.map((section) => (
        <section key={section.key} aria-label={section.title ?? label} data-quiet={section.quiet}>
          {section.title && <Heading section={section} />}
          <Rows rows={section.rows} current={current ?? ids[0]} selected={selected} handlers={handlers} />
        </section>
      ))}
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
  c: onTargets("confirm"),
  a: onTargets("archive"),
  o: onTargets("reopen"),
  "#": onTargets("delete"),
});
