import { useCallback, useEffect, useRef, useState } from "react";
import { screenTitle } from "../../kit/screen.tsx";

/** A record in a list, and the section that it is in. */
export type ListPosition = { id: number; section: string };

const DIALOG_MS = 60;

/** The link in the row of a record; it has the focus while the cursor is on the row. */
const rowLink = (id: number) => document.querySelector<HTMLElement>(`[data-record="${id}"] a`) ?? undefined;

/** What to focus when a record has left: the next row, or the screen's title after the last one. */
const focusTarget = (next: number | undefined) => (next === undefined ? screenTitle() : rowLink(next));

const hasNoFocus = () => document.activeElement === null || document.activeElement === document.body;

/** The next record that is still in its section, or else the previous one; the record itself if there is neither. */
function neighbour(
  id: number,
  old: readonly ListPosition[],
  current: readonly ListPosition[],
): number | undefined {
  const index = old.findIndex((place) => place.id === id);
  const sections = new Map(current.map((place) => [place.id, place.section]));
  const others = [...old.slice(index + 1), ...old.slice(0, Math.max(index, 0)).reverse()];
  return (
    others.find((place) => sections.get(place.id) === place.section) ??
    current.find((place) => place.id === id)
  )?.id;
}

const sectionOf = (places: readonly ListPosition[], id: number) =>
  places.find((place) => place.id === id)?.section;

/**
 * The cursor of the list. When its record leaves its section, the next record takes the focus, unless `follow` says that the
 * record is moved on purpose.
 */
export function useListCursor(places: readonly ListPosition[]) {
  const [current, setCurrent] = useState<number>();
  const before = useRef(places);
  const followed = useRef<number>(undefined);
  useEffect(() => {
    const old = before.current;
    before.current = places;
    if (current === undefined || old === places) return;
    const section = sectionOf(places, current);
    if (section !== undefined && section === sectionOf(old, current)) return;
    if (section !== undefined && followed.current === current) {
      rowLink(current)?.focus();
      return;
    }
    const next = neighbour(current, old, places);
    setCurrent(next);
    // A closing dialog first returns the focus to a row that no longer exists.
    setTimeout(() => hasNoFocus() && focusTarget(next)?.focus(), DIALOG_MS);
  }, [places, current]);
  const move = useCallback(
    (by: number) => {
      const index = places.findIndex(({ id }) => id === current);
      const next =
        index === -1
          ? places.at(by > 0 ? 0 : -1)
          : places[Math.min(Math.max(index + by, 0), places.length - 1)];
      if (next === undefined) return;
      followed.current = undefined;
      setCurrent(next.id);
      const link = rowLink(next.id);
      link?.focus({ preventScroll: true });
      link?.closest("li")?.scrollIntoView({ block: "nearest" });
    },
    [places, current],
  );
  const follow = (id: number) => {
    followed.current = id;
  };
  return { current, setCurrent, move, follow };
}
