import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Activity, UndoResult } from "../../api/activity.ts";
import { activityApi } from "../../api/activity.ts";
import { Button } from "../../kit/button.tsx";
import { capitalized } from "../../kit/capitalized.ts";
import { addDays, dayIn, fullDay, relativeDay } from "../../kit/dates.ts";
import { Screen, TO_SETTINGS } from "../../kit/screen.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { useTimezone, useToday } from "../../kit/time.tsx";
import styles from "./activity.module.css";
import { ChangeRow } from "./change-row.tsx";
import { type Filters, FiltersBar, isNarrow, queryOf, useFilters } from "./filters.tsx";
import { actorKey, byDay, type Day, type Group, headline, isOpen } from "./group.ts";
import { Outcome } from "./outcome.tsx";
import { type Collected, collectOpen, undo } from "./undo.ts";
import { UndoMany } from "./undo-many.tsx";

const PAGE = 50;

function useActivity(filters: Filters) {
  const query = queryOf(filters);
  const list = useInfiniteQuery({
    queryKey: ["activity", "list", query],
    queryFn: ({ pageParam }) => activityApi.list({ ...query, cursor: pageParam, limit: PAGE }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: (before) => before,
  });
  const changes = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const { hasNextPage, isFetching, fetchNextPage } = list;
  // Each page scans a bounded number of changes; with filters, it may contain no match.
  const goesOn = changes.length === 0 && hasNextPage && !isFetching;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  return { ...list, changes };
}

/** The changes of the open undo dialog. */
type Asked = { what: string; collect: () => Promise<Collected> };

/** "today", "yesterday", "on Friday, 20 November 2026" */
const dayWords = (day: string, today: string) => {
  const near = relativeDay(day, today);
  return ["today", "yesterday"].includes(near) ? near : `on ${fullDay(day)}`;
};

type DayProps = {
  day: Day;
  /** Whether more changes of the day may not be loaded yet. */
  isCut: boolean;
  ask: (day: string, group?: Group) => void;
  onUndo: (change: Activity) => void;
};

const GroupOfDay = ({ group, day, isCut, ask, onUndo }: DayProps & { group: Group }) => (
  <section className={styles.group} aria-label={headline(group, isCut)}>
    <header className={styles.head}>
      <h3>{headline(group, isCut)}</h3>
      {group.changes.filter(isOpen).length > 1 && (
        <Button
          kind="quiet"
          aria-label={`Undo all by ${group.name === "You" ? "you" : group.name}`}
          onPress={() => ask(day.day, group)}
        >
          Undo all
        </Button>
      )}
    </header>
    <ol>
      {group.changes.map((change) => (
        <ChangeRow key={change.id} change={change} onUndo={onUndo} />
      ))}
    </ol>
  </section>
);

function OneDay({ day, isCut, ask, onUndo }: DayProps) {
  const near = relativeDay(day.day, useToday());
  const isNear = near === "today" || near === "yesterday";
  const name = isNear ? capitalized(near) : fullDay(day.day);
  const canUndo = day.groups.length > 1 && day.groups.some(({ changes }) => changes.some(isOpen));
  return (
    <section className={styles.day} aria-label={fullDay(day.day)}>
      <header className={styles.head}>
        <h2 aria-label={isNear ? `${name}, ${fullDay(day.day)}` : name}>
          {name}
          {isNear && <span className={styles.date}>{fullDay(day.day)}</span>}
        </h2>
        {canUndo && (
          <Button kind="quiet" onPress={() => ask(day.day)}>
            {near === "today" ? "Undo everything from today" : "Undo everything from this day"}
          </Button>
        )}
      </header>
      {day.groups.map((group) => (
        <GroupOfDay key={group.key} group={group} day={day} isCut={isCut} ask={ask} onUndo={onUndo} />
      ))}
    </section>
  );
}

/** The changes to undo together: those of a day, of one actor on a day, or all that match the filters. */
function useAsking(filters: Filters) {
  const [asked, setAsked] = useState<Asked>();
  const timezone = useTimezone();
  const today = useToday();
  const query = queryOf(filters);
  const askDay = (day: string, group?: Group) =>
    setAsked({
      what: `everything ${group ? `${group.name === "You" ? "you" : group.name} changed` : "changed"} ${dayWords(day, today)}`,
      collect: () =>
        collectOpen(
          // Wide enough to include the day in any time zone.
          { ...query, since: `${addDays(day, -1)}T00:00:00Z`, until: `${addDays(day, 2)}T00:00:00Z` },
          (change) => dayIn(timezone, change.at) === day && (!group || actorKey(change.actor) === group.key),
        ),
    });
  const askAll = (what: string) => setAsked({ what, collect: () => collectOpen(query) });
  return { asked, askDay, askAll, close: () => setAsked(undefined) };
}

const Nothing = ({ filters, clear }: { filters: Filters; clear: () => void }) =>
  isNarrow(filters) ? (
    <Empty title="No matching changes">
      <Button onPress={clear}>Show all changes</Button>
    </Empty>
  ) : (
    <Empty title="No changes yet">
      <p>Every change to a document, record or folder is listed here, whether by you or your assistants.</p>
    </Empty>
  );

/** Changes by day and actor, with Undo. */
export default function ActivityScreen() {
  const { filters, set, clear } = useFilters();
  const { changes, data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useActivity(filters);
  const { asked, askDay, askAll, close } = useAsking(filters);
  const [results, setResults] = useState<UndoResult[]>([]);
  const timezone = useTimezone();
  const undoOne = async ({ id }: Activity) => setResults(await undo([id]));
  return (
    <Screen
      title="Activity"
      back={TO_SETTINGS}
      lead="Everything you and your apps changed – and how to undo it. Permanently deleted items aren’t listed."
    >
      <FiltersBar filters={filters} set={set} newest={changes[0]} onUndoAll={askAll} />
      {error && !data && <Problem problem={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && changes.length === 0 && !hasNextPage && <Nothing filters={filters} clear={clear} />}
      {byDay(changes, timezone).map((day, place, { length }) => (
        <OneDay
          key={day.day}
          day={day}
          isCut={hasNextPage && place === length - 1}
          ask={askDay}
          onUndo={undoOne}
        />
      ))}
      {changes.length > 0 && hasNextPage && (
        <div>
          <Button onPress={() => void fetchNextPage()} isDisabled={isFetching}>
            {isFetching ? "Loading…" : "Show more"}
          </Button>
        </div>
      )}
      {asked && <UndoMany {...asked} onClose={close} />}
      <Outcome results={results} onClose={() => setResults([])} />
    </Screen>
  );
}
