import { useEffect, useRef } from "react";
import { actionKeys } from "../../kit/actions.ts";
import { addDays } from "../../kit/dates.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import type { RecordItem } from "../records/row.ts";
import { type RecordActionName, recordActions } from "../records/step-actions.ts";
import { shiftDay, type View, weekStart } from "./calendar-view.ts";
import { canMove } from "./chip.tsx";
import type { GridProps } from "./grid.tsx";

const WEEK = 7;

export type KeyProps = {
  today: string;
  go: (next: { day?: string; view?: View }) => void;
  onStep: (row: RecordItem, action: RecordActionName) => void;
};
type Props = KeyProps & Pick<GridProps, "day" | "view" | "entries" | "onMove" | "onNew">;

const findCell = (day: string) => document.querySelector<HTMLElement>(`[data-day="${day}"]`);
const findChip = (id: number) => document.querySelector<HTMLElement>(`a[data-record="${id}"]`);

const focusedChip = () => document.activeElement?.closest<HTMLElement>("a[data-chip]") ?? undefined;

/** The next or previous record of the same day. */
function siblingChip(chip: HTMLElement, by: 1 | -1): HTMLElement | undefined {
  const all = [...(chip.closest("[data-day]")?.querySelectorAll<HTMLElement>("a[data-chip]") ?? [])];
  return all[all.indexOf(chip) + by];
}

/** Lets Enter press a focused button, or a link outside the grid. Returns whether there was one. */
function pressFocused(): true | undefined {
  const element = document.activeElement as HTMLElement | null;
  const isElsewhere = element?.closest("[data-day]") === null && element !== document.body;
  if (!isElsewhere && !element?.matches("button")) return undefined;
  element.click();
  return true;
}

/** Moves the focus to a day or record after the next render. */
function useFocusAfterRender() {
  const wanted = useRef<{ day: string } | { record: number }>(undefined);
  useEffect(() => {
    const at = wanted.current;
    if (!at) return;
    const element = "day" in at ? findCell(at.day) : findChip(at.record);
    if (!element) return;
    wanted.current = undefined;
    element.focus();
  });
  return wanted;
}

/** Keyboard shortcuts of the grid: arrows select days, Shift and arrows move records, letters act on the focused record. */
export function useGridKeys({ day, view, today, entries, go, onMove, onNew, onStep }: Props): void {
  const wanted = useFocusAfterRender();
  const toDay = (next: string) => {
    wanted.current = { day: next };
    go({ day: next });
  };
  const focused = () => {
    const id = Number(focusedChip()?.dataset.record);
    return entries.get(day)?.find(({ row, isCopy }) => row.id === id && !isCopy);
  };
  /** The focused record, or the only one of the day. */
  const movable = () => {
    const all = (entries.get(day) ?? []).filter(canMove);
    const one = focused() ?? (all.length === 1 ? all[0] : undefined);
    if (one === undefined && all[0]) findChip(all[0].row.id)?.focus();
    return one && canMove(one) ? one.row : undefined;
  };
  const arrow = (days: number) => (event: KeyboardEvent) => {
    if (!event.shiftKey) return toDay(addDays(day, days));
    const row = movable();
    if (!row) return;
    const next = addDays(day, days);
    wanted.current = { record: row.id };
    go({ day: next });
    onMove(row.id, next);
  };
  const vertical = (by: 1 | -1) => (event: KeyboardEvent) => {
    const chip = focusedChip();
    if (!chip || event.shiftKey) return arrow(by * WEEK)(event);
    const next = siblingChip(chip, by);
    if (next) next.focus();
    else findCell(day)?.focus();
  };
  const enter = () => {
    const chip = focusedChip();
    const first = findCell(day)?.querySelector<HTMLElement>("a[data-chip]");
    if (chip) chip.click();
    else if (first) first.focus();
    else onNew(day);
  };
  /** A key that acts on the focused record, and otherwise on the calendar. */
  const orStep = (action: RecordActionName, other: () => void) => () => (focused() ? step(action) : other());
  const step = (action: RecordActionName) => {
    const entry = focused();
    if (entry) onStep(entry.row, action);
  };
  useShortcuts({
    ...actionKeys(recordActions(step)),
    ArrowLeft: arrow(-1),
    ArrowRight: arrow(1),
    ArrowUp: vertical(-1),
    ArrowDown: vertical(1),
    PageUp: () => toDay(shiftDay(day, view, -1)),
    PageDown: () => toDay(shiftDay(day, view, 1)),
    Home: () => toDay(weekStart(day)),
    End: () => toDay(addDays(weekStart(day), WEEK - 1)),
    Enter: () => pressFocused() ?? enter(),
    Escape: () => findCell(day)?.focus(),
    t: orStep("reschedule", () => toDay(today)),
    m: orStep("project", () => go({ view: "month" })),
    w: () => go({ view: "week" }),
    n: () => onNew(day),
  });
}
