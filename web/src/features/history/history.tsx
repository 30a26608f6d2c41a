import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { dashboardApi } from "../../api/dashboard.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Pages } from "../../kit/pages.tsx";
import { BACK_TO_SETTINGS, Screen } from "../../kit/screen.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { formatCount } from "../../kit/text.ts";
import { Filters, type HistoryFilters, useHistoryFilters } from "./filters.tsx";
import styles from "./history.module.css";
import { HistoryList } from "./list.tsx";
import { HistoryNumbers, HistoryPlots } from "./statistics.tsx";

const PAGE_SIZE = 50;

const isFiltered = (chosen: HistoryFilters) => Object.values(chosen).some((value) => value !== undefined);

const NoResults = ({ chosen, onClear }: { chosen: HistoryFilters; onClear: () => void }) =>
  isFiltered(chosen) ? (
    <Empty title="No records match these filters">
      <Button onPress={onClear}>Clear filters</Button>
    </Empty>
  ) : (
    <Empty title="Nothing has been closed or deferred yet">
      <p>Records you resolve, defer or archive show up here, with your note and how long they took.</p>
      <ButtonLink href="/">Go to Today</ButtonLink>
    </Empty>
  );

/** Empty without results. Deferred records come back, so they do not count as closed. */
const resultCount = (total = 0, { status }: HistoryFilters) =>
  total > 0 && `${formatCount(total)} ${status ?? "closed or deferred"}`;

/** Closed and deferred records with statistics. */
export default function History() {
  const { chosen, page, set, clear } = useHistoryFilters();
  const list = useQuery({
    queryKey: ["dashboard", "history", "list", chosen, page],
    queryFn: () => dashboardApi.history({ ...chosen, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
    placeholderData: keepPreviousData,
  });
  const isNew = list.data?.total === 0 && !isFiltered(chosen);
  return (
    <Screen
      title="History"
      back={BACK_TO_SETTINGS}
      lead={<span role="status">{resultCount(list.data?.total, chosen)}</span>}
    >
      {!isNew && <Filters chosen={chosen} set={set} />}
      {list.isError && <Problem problem={list.error} retry={() => list.refetch()} />}
      {!list.data && !list.isError && <Loading />}
      {list.data && (
        <>
          {list.data.total > 0 && (
            <section className={styles.part} aria-label="Statistics">
              <HistoryNumbers stats={list.data.stats} />
              <HistoryPlots {...chosen} />
            </section>
          )}
          <section className={styles.part} aria-label="Closed and deferred records">
            {list.data.items.length === 0 ? (
              <NoResults chosen={chosen} onClear={clear} />
            ) : (
              <>
                <HistoryList items={list.data.items} />
                <Pages
                  total={list.data.total}
                  size={PAGE_SIZE}
                  page={page}
                  onPage={(to) => set("page", String(to))}
                />
              </>
            )}
          </section>
        </>
      )}
    </Screen>
  );
}
