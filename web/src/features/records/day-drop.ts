import { type DragEvent, useState } from "react";
import { DRAGGED_RECORD } from "./dragged.ts";
import type { RecordItem } from "./row.ts";
import { applyStep } from "./steps.ts";

/** The dragged record, and the selected ones if it is one of them. */
const draggedRows = (id: number, rows: readonly RecordItem[], selected: readonly RecordItem[]) =>
  selected.some((row) => row.id === id) ? selected : rows.filter((row) => row.id === id);

type Props = {
  /** The day of the section; without one, its records are not moved by dragging. */
  day: string | undefined;
  rows: () => readonly RecordItem[];
  selected: readonly RecordItem[];
};

/** Event handlers of a section of a day: its records are dragged by their links, and dropped ones are due on its day. */
export function useDayDrop({ day, rows, selected }: Props) {
  const [isOver, setOver] = useState(false);
  if (day === undefined) return {};
  return {
    "data-over": isOver || undefined,
    onDragStart: (event: DragEvent) => {
      const id = (event.target as Element).closest?.<HTMLElement>("[data-record]")?.dataset.record;
      if (!id) return;
      event.dataTransfer.setData(DRAGGED_RECORD, id);
      event.dataTransfer.effectAllowed = "move";
    },
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(DRAGGED_RECORD)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      setOver(false);
      const id = Number(event.dataTransfer.getData(DRAGGED_RECORD));
      const moved = draggedRows(id, rows(), selected);
      if (moved.length === 0) return;
      event.preventDefault();
      void applyStep(moved, { action: "reschedule", day });
    },
  };
}
