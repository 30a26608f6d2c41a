import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Activity, UndoResult } from "../../api/activity.ts";
import { activityApi } from "../../api/activity.ts";
import { Button } from "../../kit/button.tsx";
import { addDays, dayInZone, fullDay, relativeDay } from "../../kit/dates.ts";
import { BACK_TO_SETTINGS, Screen } from "../../kit/screen.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { capitalized } from "../../kit/text.ts";
import { useTimezone, useToday } from "../../kit/time.tsx";
import styles from "./activity.module.css";
import { ChangeRow } from "./change-row.tsx";
import { type ActivityFilters, activityQuery, FiltersBar, hasFilter, useFilters } from "./filters.tsx";
import { type ActorGroup, actorKey, type DayGroup, groupByDay, headline, isUndoable } from "./group.ts";
import { UndoOutcome } from "./outcome.tsx";
import { type ChangesToUndo, collectUndoable, undoByIds } from "./undo.ts";
import { UndoManyDialog } from "./undo-many.tsx";

const PAGE = 50;

function useActivity(filters: ActivityFilters) {
  const query = activityQuery(filters);
  const list = useInfiniteQuery({
    queryKey: ["activity", "list", query],
    queryFn: ({ pageParam }) =>
      activityApi.list({ ...query, include: "differences", cursor: pageParam, limit: PAGE }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: (before) => before,
  });
  const changes = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const { hasNextPage, isFetching, fetchNextPage } = list;
  // Each page scans a bounded number of changes; with filters, it may contain no match.
  const needsNextPage = changes.length === 0 && hasNextPage && !isFetching;
  useEffect(() => {
    if (needsNextPage) void fetchNextPage();
  }, [needsNextPage, fetchNextPage]);
  return { ...list, changes };
}

type UndoRequest = { what: string; collect: () => Promise<ChangesToUndo> };

/** "today", "yesterday", "on Friday, 20 November 2026" */
const dayText = (day: string, today: string) => {
  const near = relativeDay(day, today);
  return ["today", "yesterday"].includes(near) ? near : `on ${fullDay(day)}`;
};

type DayProps = {
  day: DayGroup;
  /** Whether more changes of the day may not be loaded yet. */
  isCut: boolean;
  ask: (day: string, group?: ActorGroup) => void;
  onUndo: (change: Activity) => void;
};

const GroupOfDay = ({ group, day, isCut, ask, onUndo }: DayProps & { group: ActorGroup }) => (
  <section className={styles.group} aria-label={headline(group, isCut)}>
    <header className={styles.head}>
      <h3>{headline(group, isCut)}</h3>
      {group.changes.filter(isUndoable).length > 1 && (
        <Button kind="quiet" aria-label={`Undo all by ${group.name}`} onPress={() => ask(day.day, group)}>
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

function DaySection({ day, isCut, ask, onUndo }: DayProps) {
  const near = relativeDay(day.day, useToday());
  const isNear = near === "today" || near === "yesterday";
  const name = isNear ? capitalized(near) : fullDay(day.day);
  const canUndo = day.groups.length > 1 && day.groups.some(({ changes }) => changes.some(isUndoable));
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
function useUndoDialog(filters: ActivityFilters) {
  const [asked, setAsked] = useState<UndoRequest>();
  const timezone = useTimezone();
  const today = useToday();
  const query = activityQuery(filters);
  const askDay = (day: string, group?: ActorGroup) =>
    setAsked({
      what: `everything ${group ? `${group.name} changed` : "changed"} ${dayText(day, today)}`,
      collect: () =>
        collectUndoable(
          // Wide enough to include the day in any time zone.
          { ...query, since: `${addDays(day, -1)}T00:00:00Z`, until: `${addDays(day, 2)}T00:00:00Z` },
          (change) =>
            dayInZone(timezone, change.at) === day && (!group || actorKey(change.actor) === group.key),
        ),
    });
  const askAll = (what: string) => setAsked({ what, collect: () => collectUndoable(query) });
  return { asked, askDay, askAll, close: () => setAsked(undefined) };
}

const NoChanges = ({ filters, clear }: { filters: ActivityFilters; clear: () => void }) =>
  hasFilter(filters) ? (
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
  const { asked, askDay, askAll, close } = useUndoDialog(filters);
  const [results, setResults] = useState<UndoResult[]>([]);
  const timezone = useTimezone();
  const undoOne = async ({ id }: Activity) => setResults(await undoByIds([id]));
  return (
    <Screen
      title="Activity"
      back={BACK_TO_SETTINGS}
      lead="Everything you and your apps changed – and how to undo it. Permanently deleted items aren’t listed."
    >
      <FiltersBar filters={filters} set={set} newest={changes[0]} onUndoAll={askAll} />
      {error && !data && <Problem problem={error} retry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && changes.length === 0 && !hasNextPage && <NoChanges filters={filters} clear={clear} />}
      {groupByDay(changes, timezone).map((day, place, { length }) => (
        <DaySection
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
      {asked && <UndoManyDialog {...asked} onClose={close} />}
      <UndoOutcome results={results} onClose={() => setResults([])} />
    </Screen>
  );
}
