import { type DragEvent, useState } from "react";
import { DRAGGED_RECORD } from "./dragged.ts";
import type { RecordItem } from "./row.ts";
import { takeStep } from "./take-step.ts";

/** The dragged record, and the selected ones if it is one of them. */
const draggedRows = (id: number, rows: readonly RecordItem[], selected: readonly RecordItem[]) =>
  selected.some((row) => row.id === id) ? selected : rows.filter((row) => row.id === id);

type Props = {
  /** Whether the list has days, between which records are dragged. */
  isByDay: boolean;
  /** The day of the section; nothing is dropped on one without. */
  day: string | undefined;
  rows: () => readonly RecordItem[];
  selected: readonly RecordItem[];
};

function startDrag({ target, dataTransfer }: DragEvent): void {
  const id = (target as Element).closest<HTMLElement>("[data-record]")?.dataset.record;
  if (!id) return;
  dataTransfer.setData(DRAGGED_RECORD, id);
  dataTransfer.effectAllowed = "move";
}

/** Event handlers of a section: its records are dragged by their links, and what is dropped on a day is due then. */
export function useDayDrop({ isByDay, day, rows, selected }: Props) {
  const [isOver, setOver] = useState(false);
  if (day === undefined) return isByDay ? { onDragStart: startDrag } : {};
  return {
    "data-day": day,
    "data-over": isOver || undefined,
    onDragStart: startDrag,
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAGGED_RECORD)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      setOver(false);
      const id = Number(event.dataTransfer.getData(DRAGGED_RECORD));
      const moved = draggedRows(id, rows(), selected);
      if (moved.length === 0) return;
      event.preventDefault();
      void takeStep(moved, { action: "reschedule", day });
    },
  };
}
