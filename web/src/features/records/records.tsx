import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { Link, useSearchParams } from "wouter";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Trash2 } from "../../kit/icons.tsx";
import { KeysButton } from "../../kit/keys-button.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { formatCount } from "../../kit/text.ts";
import { useToday } from "../../kit/time.tsx";
import { BY_OFFSET } from "../../state/queries.ts";
import { readAllRecords, readRecords } from "../../state/read-records.ts";
import { projectPath } from "../things/project-path.ts";
import { projectNames, useSummary } from "../things/summary.ts";
import { FilterBar } from "./filter-bar.tsx";
import {
  hasActiveFilter,
  parseFilters,
  type RecordFilter,
  type RecordFilters,
  toRecordQuery,
} from "./filters.ts";
import { MoreOnScroll } from "./more-on-scroll.tsx";
import { useWithOptimisticChanges } from "./optimistic-changes.ts";
import { QuickEntry } from "./quick-entry.tsx";
import { RecordList } from "./record-list.tsx";
import styles from "./records.module.css";

// Exported here because a chunk of its own would split the shared code into a dozen more requests.
export { Project } from "./project.tsx";

const PAGE = 100;

function useRecords(filters: RecordFilters) {
  const query = toRecordQuery(filters, useToday());
  const list = useInfiniteQuery({
    queryKey: ["memories", "list", query],
    queryFn: (context) => readRecords({ ...query, limit: PAGE, offset: context.pageParam }, context),
    ...BY_OFFSET,
    placeholderData: (before) => before,
  });
  return { ...list, readAll: async () => (await readAllRecords(query)).items };
}

function useFilters() {
  const [search, setSearch] = useSearchParams();
  const set = useCallback(
    (name: RecordFilter, value: string) =>
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
  return { filters: parseFilters(search), set, clear };
}

const NoRecords = ({ filters, clear }: { filters: RecordFilters; clear: () => void }) =>
  hasActiveFilter(filters) ? (
    <Empty title="No matching records">
      <p>No record matches all of these filters.</p>
      <Button onPress={clear}>Show all active records</Button>
    </Empty>
  ) : (
    <Empty title="No active records">
      <p>
        Commitments, decisions, blockers, patterns, preferences and context from you and your assistants show
        up here. Add the first one above.
      </p>
    </Empty>
  );

function List({ filters, clear }: { filters: RecordFilters; clear: () => void }) {
  const { data, error, refetch, isPlaceholderData, readAll, ...pages } = useRecords(filters);
  const expected = useWithOptimisticChanges();
  if (error && !data) return <Problem problem={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const seen = new Set<number>();
  const rows = data.pages.flatMap(({ items }) => items).filter(({ id }) => !seen.has(id) && seen.add(id));
  const matching = expected(rows).filter(
    ({ status }) => filters.status === "all" || filters.status === status,
  );
  const total = data.pages.at(-1)?.total ?? 0;
  return (
    <div className={styles.list} aria-busy={isPlaceholderData}>
      <p role="status" className={styles.total}>
        {formatCount(total)} {total === 1 ? "record" : "records"}
        {rows.length < total && `, ${formatCount(rows.length)} shown`}
      </p>
      {filters.project && <Link href={projectPath(filters.project)}>Show the project {filters.project}</Link>}
      <RecordList
        label="Records"
        sections={[{ key: "records", rows: matching }]}
        whole={pages.hasNextPage ? { total, read: readAll } : undefined}
        end={<MoreOnScroll {...pages} more={`Show ${Math.min(PAGE, total - rows.length)} more`} />}
      >
        {/* The rows that were loaded have all left; more are on their way. */}
        {pages.hasNextPage ? null : <NoRecords filters={filters} clear={clear} />}
      </RecordList>
    </div>
  );
}

export default function Records() {
  const { filters, set, clear } = useFilters();
  const summary = useSummary().data;
  return (
    <Screen
      title="Records"
      actions={
        <>
          <ButtonLink kind="quiet" href="/documents?view=trash">
            <Trash2 size="1rem" /> Trash
          </ButtonLink>
          <KeysButton />
        </>
      }
    >
      <QuickEntry />
      <FilterBar filters={filters} projects={projectNames(summary)} set={set} />
      <List filters={filters} clear={clear} />
    </Screen>
  );
}
