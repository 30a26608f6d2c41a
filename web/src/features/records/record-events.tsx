import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type Memory, type MemoryEvent, type MemoryVersion, memoriesApi } from "../../api/memories.ts";
import { Button } from "../../kit/button.tsx";
import { Problem } from "../../kit/states.tsx";
import { Moment, useToday } from "../../kit/time.tsx";
import { BY_OFFSET } from "../../state/queries.ts";
import styles from "./record.module.css";
import { Series, useHasLaterOccurrence } from "./series.tsx";
import { describeEventChanges, memoryStates } from "./version-fields.ts";

const PAGE = 100;

const DID: Record<MemoryEvent["event"], string> = {
  created: "created it",
  updated: "changed it",
  resolved: "resolved it",
  deferred: "deferred it",
  archived: "archived it",
  reopened: "reopened it",
  confirmed: "confirmed it",
  superseded: "replaced it",
  woke: "brought it back",
};

const SOURCES = {
  web: "You",
  mcp: "An assistant",
  api: "A program",
  cli: "The command line",
  import: "An import",
} as const;

type Author = Pick<MemoryVersion, "client_name" | "source_type">;

/** Who made a change: the name of the app, or its kind. */
export const authorName = ({ client_name, source_type }: Author): string => {
  if (source_type === "web") return SOURCES.web;
  return client_name ?? (source_type ? SOURCES[source_type] : "Commonplace");
};

function useChanges(memory: Memory, events: readonly MemoryEvent[]) {
  const today = useToday();
  const { id, version } = memory;
  const { data } = useQuery({
    queryKey: ["memories", "versions", id, "list", version],
    queryFn: () => memoriesApi.versions(id, { limit: PAGE }),
    enabled: events.some(({ event }) => event === "updated"),
  });
  const states = data && memoryStates(memory, data.items);
  return (event: MemoryEvent) =>
    states && event.event === "updated" ? describeEventChanges(states, event, today) : undefined;
}

type LineProps = { event: MemoryEvent; changed: string | undefined; isContinued: boolean };

const Line = ({ event, changed, isContinued }: LineProps) => (
  <li className={styles.event}>
    <p>
      <strong>{authorName(event)}</strong>{" "}
      {changed
        ? `changed ${changed}`
        : isContinued && event.event === "archived"
          ? "skipped it"
          : DID[event.event]}
      {event.event === "deferred" && event.from_status === "deferred" && " again"}{" "}
      <span className={styles.quiet}>
        <Moment at={event.at} />
      </span>
    </p>
    {event.note && <blockquote>{event.note}</blockquote>}
  </li>
);

/** The history of a record, oldest first. */
export function RecordHistory({ memory }: { memory: Memory }) {
  const { id } = memory;
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["memories", "events", id],
    queryFn: ({ pageParam }) => memoriesApi.events(id, { limit: PAGE, offset: pageParam }),
    ...BY_OFFSET,
  });
  const events = data?.pages.flatMap(({ items }) => items) ?? [];
  const changesOf = useChanges(memory, events);
  const isContinued = useHasLaterOccurrence(memory);
  return (
    <section className={styles.events} aria-labelledby="events">
      <h2 id="events">History</h2>
      <Series memory={memory} />
      {error && !data && <Problem problem={error} retry={() => void refetch()} />}
      <ol>
        {events.map((event) => (
          <Line key={event.id} event={event} changed={changesOf(event)} isContinued={isContinued} />
        ))}
      </ol>
      {hasNextPage && (
        <Button onPress={() => void fetchNextPage()} isDisabled={isFetchingNextPage}>
          Show more
        </Button>
      )}
    </section>
  );
}
