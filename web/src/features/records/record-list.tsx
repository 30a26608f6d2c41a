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
import { actionKeys, usePaletteActions } from "../../kit/actions.ts";
import { Button } from "../../kit/button.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { useToday } from "../../kit/time.tsx";
import { isBackNavigation } from "../../state/list-positions.ts";
import { type ListPosition, useListCursor } from "./cursor.ts";
import type { NowPosition } from "./due.ts";
import styles from "./record-list.module.css";
import { RecordRow, type RecordRowHandlers } from "./record-row.tsx";
import type { RecordItem } from "./row.ts";
import { type RecordActionName, recordActions } from "./step-actions.ts";
import { StepDialog, startStep } from "./step-dialog.tsx";
import type { StepRequest } from "./step-dialogs.tsx";

/** Loaded soon after the first screen (shell/overlays.tsx). */
const More = lazy(() =>
  import("./record-actions.tsx").then(({ RecordActionsDialog: one }) => ({ default: one })),
);
const SelectionBar = lazy(() =>
  import("./record-actions.tsx").then(({ SelectionBar: one }) => ({ default: one })),
);

export type RecordSection = {
  key: string;
  /** Without one the section has no heading. */
  title?: string;
  hint?: string;
  rows: readonly RecordItem[];
  /** The total, if `rows` has only some of them. */
  total?: number;
  /** Shows all of them. */
  showAll?: () => void;
  tone?: "late";
  /** What rows need not show, because the title says it. */
  quiet?: "when" | "type";
  now?: NowPosition | undefined;
};

function useSelection(rows: readonly RecordItem[]) {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const selected = useMemo(() => rows.filter(({ id }) => ids.has(id)), [rows, ids]);
  const toggle = useCallback(
    (id: number) =>
      setIds((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id])),
    [],
  );
  const select = useCallback((all: readonly RecordItem[]) => setIds(new Set(all.map(({ id }) => id))), []);
  return { selected, toggle, select };
}

function Heading({ section }: { section: RecordSection }) {
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
 * How many rows to render: those in sight first, the others a few at a time, so that they block nothing. When the user
 * navigates back, all of them, because the browser restores the scroll position.
 */
function useRenderedCount(total: number): number {
  const [count, setCount] = useState(() => (isBackNavigation() ? total : FIRST_ROWS));
  useEffect(() => {
    if (count >= total) return undefined;
    const timer = setTimeout(() => startTransition(() => setCount(count + MORE_ROWS)));
    return () => clearTimeout(timer);
  }, [count, total]);
  return count;
}

/** The sections with the first `count` rows of the whole list. */
function limitRows<Known extends RecordSection>(sections: readonly Known[], count: number): Known[] {
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

type RowsProps = {
  section: RecordSection;
  current: number | undefined;
  selected: readonly RecordItem[];
  handlers: RecordRowHandlers;
};

function Rows({ section: { rows, now }, current, selected, handlers }: RowsProps) {
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

/** Parses lines of a section key and the ids of its records. */
const parsePlaces = (order: string): ListPosition[] =>
  order.split("\n").flatMap((line) => {
    const [section = "", ...ids] = line.split(" ");
    return ids.map((id) => ({ id: Number(id), section }));
  });

/** The sections with rows, all rows, and their places, which change only when the order does. */
function useNonEmptySections(sections: readonly RecordSection[]) {
  const nonEmpty = sections.filter(({ rows }) => rows.length > 0);
  const rows = useRef<readonly RecordItem[]>([]);
  rows.current = nonEmpty.flatMap((section) => section.rows);
  const order = nonEmpty.map(({ key, rows }) => [key, ...rows.map(({ id }) => id)].join(" ")).join("\n");
  const places = useMemo(() => parsePlaces(order), [order]);
  return { nonEmpty, rows, places };
}

/** Whether the focus is on another list of the screen, such as the documents of a project. */
const isFocusInOtherList = () => document.activeElement?.closest("#main li:not([data-record])") != null;

/** Offers the actions in the palette: for the selected records, the current one, or the first. Its heading names them. */
function useRecordPalette(
  rows: readonly RecordItem[],
  selected: readonly RecordItem[],
  current: number | undefined,
  step: (targets: readonly RecordItem[], action: RecordActionName) => void,
): void {
  const one = rows.find(({ id }) => id === current) ?? rows[0];
  const targets = selected.length > 0 ? selected : one ? [one] : [];
  usePaletteActions(
    targets.length > 1 ? `${targets.length} selected records` : (targets[0]?.topic ?? ""),
    targets.length > 0 ? recordActions((action) => step(targets, action), targets) : [],
  );
}

type Props = {
  /** With pending changes applied. */
  sections: readonly RecordSection[];
  label: string;
  /** Shown instead of an empty list. */
  children: ReactNode;
};

/**
 * Records in sections, with keyboard control: j and k or the arrows move, Enter opens, x selects, and the keys of the
 * steps apply them to the selected records or the current one.
 */
export function RecordList({ sections, label, children }: Props) {
  const { nonEmpty, rows, places } = useNonEmptySections(sections);
  const rendered = limitRows(nonEmpty, useRenderedCount(places.length));
  const { current, setCurrent, move } = useListCursor(places);
  const { selected, toggle, select } = useSelection(rows.current);
  const [request, setRequest] = useState<StepRequest>();
  const [menuRow, setMenuRow] = useState<RecordItem>();
  const step = useCallback(
    (targets: readonly RecordItem[], action: RecordActionName) => {
      if (!startStep(action, targets, setRequest)) select([]);
    },
    [select],
  );
  const stepTargets = (action: RecordActionName) => {
    if (isFocusInOtherList()) return;
    const target = rows.current.filter(({ id }) => id === current);
    if (selected.length === 0 && target.length === 0) move(1);
    else step(selected.length > 0 ? selected : target, action);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    x: () => current && !isFocusInOtherList() && toggle(current),
    Escape: () => select([]),
    ...actionKeys(recordActions(stepTargets)),
  });
  useRecordPalette(rows.current, selected, current, step);
  const handlers = useMemo(
    () => ({
      onFocus: (row: RecordItem) => setCurrent(row.id),
      onSelect: (row: RecordItem) => toggle(row.id),
      onMore: setMenuRow,
      onStep: (row: RecordItem, action: RecordActionName) => step([row], action),
    }),
    [setCurrent, toggle, step],
  );
  if (nonEmpty.length === 0) return <>{children}</>;
  return (
    <div className={styles.list} data-selecting={selected.length > 0 || undefined}>
      {rendered.map((section) => (
        <section key={section.key} aria-label={section.title ?? label} data-quiet={section.quiet}>
          {section.title && <Heading section={section} />}
          <Rows
            section={section}
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
        {request && (
          <StepDialog {...request} onTake={() => select([])} onClose={() => setRequest(undefined)} />
        )}
        {menuRow && (
          <More
            row={menuRow}
            onStep={(action) => step([menuRow], action)}
            onSelect={() => toggle(menuRow.id)}
            onClose={() => setMenuRow(undefined)}
          />
        )}
      </Suspense>
    </div>
  );
}
