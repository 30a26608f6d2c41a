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
import { Button, ButtonLink } from "../../kit/button.tsx";
import { addDays } from "../../kit/dates.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { formatCount } from "../../kit/text.ts";
import { useToday } from "../../kit/time.tsx";
import { useFoldedParts } from "../../state/folded.ts";
import { isBackNavigation } from "../../state/list-positions.ts";
import { type ListPosition, useListCursor } from "./cursor.ts";
import { useDayDrop } from "./day-drop.ts";
import styles from "./record-list.module.css";
import { RecordRow, type RecordRowHandlers } from "./record-row.tsx";
import type { RecordItem } from "./row.ts";
import type { RecordSection, WholeList } from "./section.ts";
import { SectionHeading } from "./section-heading.tsx";
import { type RecordActionName, recordActions } from "./step-actions.ts";
import { StepDialog, startStep } from "./step-dialog.tsx";
import type { StepRequest } from "./step-dialogs.tsx";
import { preloadSteps, takeStep } from "./take-step.ts";
import { useRowSwipe } from "./use-row-swipe.ts";

/** Loaded soon after the first screen (shell/overlays.tsx). */
const RowMenu = lazy(() =>
  import("./record-actions.tsx").then(({ RecordActionsDialog: one }) => ({ default: one })),
);
const SelectionBar = lazy(() =>
  import("./record-actions.tsx").then(({ SelectionBar: one }) => ({ default: one })),
);

/** The selected records; `beyond` are those that are not loaded. */
function useSelection(rows: readonly RecordItem[]) {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const [beyond, setBeyond] = useState<readonly RecordItem[]>([]);
  const selected = useMemo(() => {
    const loaded = new Set(rows.map(({ id }) => id));
    return [...rows, ...beyond.filter(({ id }) => !loaded.has(id))].filter(({ id }) => ids.has(id));
  }, [rows, ids, beyond]);
  const toggle = useCallback(
    (id: number) =>
      setIds((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id])),
    [],
  );
  const select = useCallback((all: readonly RecordItem[]) => {
    setBeyond(all);
    setIds(new Set(all.map(({ id }) => id)));
  }, []);
  return { selected, toggle, select };
}

/** Rows that fit on a screen. */
const FIRST_ROWS = 15;
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
    const isShown = rows.length > 0 || section.rows.length === 0;
    return isShown ? [{ ...section, total: section.total ?? section.rows.length, rows }] : [];
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

/** Without its rows, if it is collapsed. */
const folded = (section: RecordSection, parts: readonly string[]): RecordSection =>
  section.fold && parts.includes(section.fold)
    ? { ...section, total: section.total ?? section.rows.length, rows: [], isFolded: true }
    : section;

/** The sections with rows, all rows, and their places, which change only when the order does. */
function useNonEmptySections(sections: readonly RecordSection[]) {
  const parts = useFoldedParts();
  const nonEmpty = sections
    .filter(({ rows, day }) => rows.length > 0 || day)
    .map((one) => folded(one, parts));
  const rows = useRef<readonly RecordItem[]>([]);
  rows.current = nonEmpty.flatMap((section) => section.rows);
  const order = nonEmpty.map(({ key, rows }) => [key, ...rows.map(({ id }) => id)].join(" ")).join("\n");
  const places = useMemo(() => parsePlaces(order), [order]);
  return { nonEmpty, rows, places };
}

/** Whether the focus is on another list of the screen, such as the documents of a project. */
const isFocusInOtherList = () => document.activeElement?.closest("#main li:not([data-record])") != null;

/** Offers the actions in the palette: for the selected records or the current one. Its heading names them. */
function useRecordPalette(
  rows: readonly RecordItem[],
  selected: readonly RecordItem[],
  current: number | undefined,
  step: Step,
): void {
  const one = rows.find(({ id }) => id === current);
  const targets = selected.length > 0 ? selected : one ? [one] : [];
  usePaletteActions(
    targets.length > 1 ? `${formatCount(targets.length)} selected records` : (targets[0]?.topic ?? ""),
    targets.length > 0 ? recordActions((action) => step(targets, action), targets) : [],
  );
}

/** What leads to the records of a section that are not shown. */
function More({ section: { showAll, wholeList, isFolded, total } }: { section: RecordSection }) {
  const count = typeof total === "number" ? formatCount(total) : "";
  if (isFolded) return null;
  if (showAll) return <Button onPress={showAll}>Show all {count}</Button>;
  return wholeList ? (
    <ButtonLink kind="quiet" href={wholeList}>
      Show all {count} in Records
    </ButtonLink>
  ) : null;
}

type OverlayProps = {
  rows: readonly RecordItem[];
  selected: readonly RecordItem[];
  whole: WholeList | undefined;
  isPartial: boolean;
  menuRow: RecordItem | undefined;
  request: StepRequest | undefined;
  onStep: Step;
  onSelect: (rows: readonly RecordItem[]) => void;
  onToggle: (id: number) => void;
  onMenu: (row: RecordItem | undefined) => void;
  onRequest: (request: StepRequest | undefined) => void;
};

/** The bar of the selection, the menu of a row, and what an action asks first. */
const Overlays = ({ rows, selected, whole, isPartial, menuRow, request, ...on }: OverlayProps) => (
  <Suspense>
    {selected.length > 0 && (
      <SelectionBar
        rows={selected}
        all={rows}
        whole={whole}
        isPartial={isPartial}
        onStep={(action) => on.onStep(selected, action)}
        onSelect={on.onSelect}
      />
    )}
    {request && (
      <StepDialog {...request} onTake={() => on.onSelect([])} onClose={() => on.onRequest(undefined)} />
    )}
    {menuRow && (
      <RowMenu
        row={menuRow}
        onStep={(action) => on.onStep([menuRow], action)}
        onSelect={() => on.onToggle(menuRow.id)}
        onClose={() => on.onMenu(undefined)}
      />
    )}
  </Suspense>
);

type Step = (targets: readonly RecordItem[], action: RecordActionName) => void;

type KeysOptions = {
  cursor: ReturnType<typeof useListCursor>;
  rows: () => readonly RecordItem[];
  selection: ReturnType<typeof useSelection>;
  /** Whether the sections are days, between which Shift and an arrow move a record. */
  isByDay: boolean;
  step: Step;
};

function useListKeys({ cursor, rows, selection, isByDay, step }: KeysOptions): void {
  const today = useToday();
  const { current, move, follow } = cursor;
  const { selected, toggle, select } = selection;
  const stepTargets = (action: RecordActionName) => {
    if (isFocusInOtherList()) return;
    const target = rows().filter(({ id }) => id === current);
    if (selected.length === 0 && target.length === 0) move(1);
    else step(selected.length > 0 ? selected : target, action);
  };
  const moveByDay = (days: number) => {
    const row = rows().find(({ id }) => id === current);
    if (!row?.due_date || isFocusInOtherList()) return;
    follow(row.id);
    // What is overdue would have to be moved many times.
    const day = days > 0 && row.due_date < today ? today : addDays(row.due_date, days);
    void takeStep([row], { action: "reschedule", day });
  };
  const arrow = (by: 1 | -1) => (event: KeyboardEvent) =>
    event.shiftKey && isByDay ? moveByDay(by) : move(by);
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: arrow(1),
    ArrowUp: arrow(-1),
    x: () => current && !isFocusInOtherList() && toggle(current),
    Escape: () => select([]),
    ...actionKeys(recordActions(stepTargets)),
  });
}

type SectionProps = RowsProps & {
  label: string;
  isByDay: boolean;
  onStep: Step;
  rows: () => readonly RecordItem[];
};

function ListSection({ section, label, isByDay, onStep, rows, ...shown }: SectionProps) {
  const drop = useDayDrop({ isByDay, day: section.day, rows, selected: shown.selected });
  return (
    <section aria-label={section.title ?? label} data-quiet={section.quiet} {...drop}>
      {section.title && (
        <SectionHeading section={section} isFolded={section.isFolded ?? false} onStep={onStep} />
      )}
      <Rows section={section} {...shown} />
      <More section={section} />
    </section>
  );
}

type Props = {
  /** With pending changes applied. */
  sections: readonly RecordSection[];
  label: string;
  /** If not all are loaded. */
  whole?: WholeList | undefined;
  /** Shown after all rows, once they are rendered. */
  end?: ReactNode;
  /** Shown instead of an empty list. */
  children: ReactNode;
};

/**
 * Records in sections, with keyboard control: j and k or the arrows move, Enter opens, x selects, and the keys of the
 * steps apply them to the selected records or the current one.
 */
export function RecordList({ sections, label, whole, end, children }: Props) {
  useEffect(preloadSteps, []);
  const { nonEmpty, rows, places } = useNonEmptySections(sections);
  const count = useRenderedCount(places.length);
  const isWhole = useRef(false);
  // The end stays while the rows of another page are rendered: it may have the focus.
  isWhole.current = count >= places.length || (isWhole.current && count > FIRST_ROWS);
  const cursor = useListCursor(places);
  const selection = useSelection(rows.current);
  const { current, setCurrent } = cursor;
  const { selected, toggle, select } = selection;
  const [request, setRequest] = useState<StepRequest>();
  const [menuRow, setMenuRow] = useState<RecordItem>();
  const step: Step = useCallback(
    (targets, action) => {
      if (!startStep(action, targets, setRequest)) select([]);
    },
    [select],
  );
  const all = useCallback(() => rows.current, [rows]);
  const isByDay = sections.some(({ day }) => day !== undefined);
  useListKeys({ cursor, rows: all, selection, isByDay, step });
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
  const swipe = useRowSwipe({ rows: all, onStep: handlers.onStep });
  const isEmpty = nonEmpty.length === 0;
  return (
    <>
      {isEmpty ? (
        children
      ) : (
        <div className={styles.list} data-selecting={selected.length > 0 || undefined} {...swipe}>
          {limitRows(nonEmpty, count).map((section) => (
            <ListSection
              key={section.key}
              section={section}
              label={label}
              isByDay={isByDay}
              rows={all}
              current={current ?? places[0]?.id}
              selected={selected}
              handlers={handlers}
              onStep={step}
            />
          ))}
          <Overlays
            rows={rows.current}
            {...{ selected, whole, menuRow, request }}
            isPartial={nonEmpty.some(
              ({ total, rows: shown }) => total !== undefined && total !== shown.length,
            )}
            onStep={step}
            onSelect={select}
            onToggle={toggle}
            onMenu={setMenuRow}
            onRequest={setRequest}
          />
        </div>
      )}
      {isWhole.current && end}
    </>
  );
}
