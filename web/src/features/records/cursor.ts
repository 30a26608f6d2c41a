import { useCallback, useEffect, useRef, useState } from "react";

/** A record's place in a list, which changes when it goes over to another section. */
export type Place = { id: number; section: string };

const DIALOG_MS = 60;

/** The link of a record in the document: focus is on it while the cursor is. */
const linkOf = (id: number) => document.querySelector<HTMLElement>(`[data-record="${id}"] a`) ?? undefined;

/** Where the focus goes on when a record has left: to the next one, and after the last one to the screen's title. */
const placeAfter = (next: number | undefined) =>
  next === undefined ? document.querySelector<HTMLElement>("#main h1") : linkOf(next);

const nothingFocused = () => document.activeElement === null || document.activeElement === document.body;

/** The record that comes after one, or else before it, and is still where it was; or else itself, if it is in the list. */
function nextAfter(id: number, old: readonly Place[], now: readonly Place[]): number | undefined {
  const at = old.findIndex((place) => place.id === id);
  const kept = new Map(now.map((place) => [place.id, place.section]));
  const others = [...old.slice(at + 1), ...old.slice(0, Math.max(at, 0)).reverse()];
  return (
    others.find((place) => kept.get(place.id) === place.section) ?? now.find((place) => place.id === id)
  )?.id;
}

const sectionOf = (places: readonly Place[], id: number) => places.find((place) => place.id === id)?.section;

/**
 * Where the cursor of the list is. When its record has left its section, the next one that is still there takes the
 * focus, so that the list can be worked off.
 */
export function useCursor(places: readonly Place[]) {
  const [current, setCurrent] = useState<number>();
  const before = useRef(places);
  useEffect(() => {
    const old = before.current;
    before.current = places;
    if (current === undefined || old === places) return;
    const section = sectionOf(places, current);
    if (section !== undefined && section === sectionOf(old, current)) return;
    const next = nextAfter(current, old, places);
    setCurrent(next);
    // A dialog that is closing gives the focus back first, to a row that is no longer there.
    setTimeout(() => nothingFocused() && placeAfter(next)?.focus(), DIALOG_MS);
  }, [places, current]);
  const move = useCallback(
    (by: number) => {
      const at = places.findIndex(({ id }) => id === current);
      const next =
        at === -1 ? places.at(by > 0 ? 0 : -1) : places[Math.min(Math.max(at + by, 0), places.length - 1)];
      if (next === undefined) return;
      setCurrent(next.id);
      const link = linkOf(next.id);
      link?.focus({ preventScroll: true });
      link?.closest("li")?.scrollIntoView({ block: "nearest" });
    },
    [places, current],
  );
  return { current, setCurrent, move };
}
