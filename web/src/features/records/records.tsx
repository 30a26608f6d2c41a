import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { Link, useSearchParams } from "wouter";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Trash2 } from "../../kit/icons.tsx";
import { KeysButton } from "../../kit/keys-button.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { useToday } from "../../kit/time.tsx";
import { readRecords } from "../../state/reading-records.ts";
import { projectPath } from "../things/project-path.ts";
import { projectsOf, useSummary } from "../things/summary.ts";
import { FilterBar } from "./filter-bar.tsx";
import { type Filter, type Filters, filtersIn, isNarrow, queryOf } from "./filters.ts";
import { useExpected } from "./pending.ts";
import { QuickEntry } from "./quick-entry.tsx";
import { RecordList } from "./record-list.tsx";
import styles from "./records.module.css";

// In a file of its own it would divide what the first screens share into a dozen more requests.
export { Project } from "./project.tsx";

const PAGE = 100;

/** "10,000" */
const numberOf = (count: number) => count.toLocaleString("en-GB");

/** The records that fit the filters, a page at a time. */
function useRecords(filters: Filters) {
  const query = queryOf(filters, useToday());
  return useInfiniteQuery({
    queryKey: ["memories", "list", query],
    queryFn: (asking) => readRecords({ ...query, limit: PAGE, offset: asking.pageParam }, asking),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const loaded = pages.reduce((sum, { items }) => sum + items.length, 0);
      return loaded < total ? loaded : undefined;
    },
    placeholderData: (before) => before,
  });
}

function useFilters() {
  const [search, setSearch] = useSearchParams();
  const set = useCallback(
    (name: Filter, value: string) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        { replace: name === "q" },
      ),
    [setSearch],
  );
  const clear = () => setSearch(new URLSearchParams());
  return { filters: filtersIn(search), set, clear };
}

const Nothing = ({ filters, clear }: { filters: Filters; clear: () => void }) =>
  isNarrow(filters) ? (
    <Empty title="No record fits">
      <p>No record has all of these properties.</p>
      <Button onPress={clear}>Show all active records</Button>
    </Empty>
  ) : (
    <Empty title="No active records">
      <p>
        Commitments, decisions, blockers, patterns, preferences and context are kept here, from you and from
        your assistants. Write down the first one above.
      </p>
    </Empty>
  );

function List({ filters, clear }: { filters: Filters; clear: () => void }) {
  const { data, error, refetch, isPlaceholderData, fetchNextPage, hasNextPage, isFetchingNextPage } =
    useRecords(filters);
  const expected = useExpected();
  if (error && !data) return <Problem problem={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const seen = new Set<number>();
  const rows = data.pages.flatMap(({ items }) => items).filter(({ id }) => !seen.has(id) && seen.add(id));
  const staying = expected(rows).filter(
    ({ status }) => filters.status === "all" || filters.status === status,
  );
  const total = data.pages.at(-1)?.total ?? 0;
  return (
    <div className={styles.list} aria-busy={isPlaceholderData}>
      <p role="status" className={styles.total}>
        {numberOf(total)} {total === 1 ? "record" : "records"}
        {rows.length < total && `, ${numberOf(rows.length)} shown`}
      </p>
      {filters.project && <Link href={projectPath(filters.project)}>Show the project {filters.project}</Link>}
      <RecordList label="Records" sections={[{ key: "records", rows: staying }]}>
        <Nothing filters={filters} clear={clear} />
      </RecordList>
      {hasNextPage && (
        <Button onPress={() => void fetchNextPage()} isDisabled={isFetchingNextPage}>
          {isFetchingNextPage ? "Loading…" : `Show ${Math.min(PAGE, total - rows.length)} more`}
        </Button>
      )}
    </div>
  );
}

/** All records, by their filters. */
export default function Records() {
  const { filters, set, clear } = useFilters();
  const summary = useSummary().data;
  return (
    <Screen
      title="Records"
      actions={
        <>
          <ButtonLink kind="quiet" href="/documents?view=trash">
            <Trash2 aria-hidden="true" size="1rem" /> Trash
          </ButtonLink>
          <KeysButton />
        </>
      }
    >
      <QuickEntry />
      <FilterBar filters={filters} projects={projectsOf(summary)} set={set} />
      <List filters={filters} clear={clear} />
    </Screen>
  );
}
