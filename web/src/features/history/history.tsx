import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { History as Answer } from "../../api/dashboard.ts";
import { dashboardApi } from "../../api/dashboard.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Pages } from "../../kit/pages.tsx";
import { Screen, TO_SETTINGS } from "../../kit/screen.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { type Chosen, Filters, useChosen } from "./filters.tsx";
import styles from "./history.module.css";
import { List } from "./list.tsx";
import { Numbers, Plots } from "./statistics.tsx";

const PAGE = 50;

const isFiltered = (chosen: Chosen) => Object.values(chosen).some((value) => value !== undefined);

const Nothing = ({ chosen, onClear }: { chosen: Chosen; onClear: () => void }) =>
  isFiltered(chosen) ? (
    <Empty title="Nothing like that is here">
      <Button onPress={onClear}>Show everything</Button>
    </Empty>
  ) : (
    <Empty title="Nothing has been closed or deferred yet">
      <p>What you resolve, defer or archive is kept here, with its note and how long it took.</p>
      <ButtonLink href="/">Go to Today</ButtonLink>
    </Empty>
  );

type ClosedProps = {
  answer: Answer;
  chosen: Chosen;
  page: number;
  onPage: (page: number) => void;
  onClear: () => void;
};

const Closed = ({ answer, chosen, page, onPage, onClear }: ClosedProps) =>
  answer.items.length === 0 ? (
    <Nothing chosen={chosen} onClear={onClear} />
  ) : (
    <>
      <List items={answer.items} />
      <Pages total={answer.total} size={PAGE} page={page} onPage={onPage} />
    </>
  );

/** Nothing at all is said by what is below. What is deferred comes back: it is not closed. */
const leadOf = (total = 0, { status }: Chosen) =>
  total > 0 && `${total.toLocaleString("en-GB")} ${status ?? "closed or deferred"}`;

/** What was closed, and what the numbers say of it. */
export default function History() {
  const { chosen, page, set, clear } = useChosen();
  const list = useQuery({
    queryKey: ["dashboard", "history", "list", chosen, page],
    queryFn: () => dashboardApi.history({ ...chosen, limit: PAGE, offset: (page - 1) * PAGE }),
    placeholderData: keepPreviousData,
  });
  const isNew = list.data?.total === 0 && !isFiltered(chosen);
  return (
    <Screen
      title="History"
      back={TO_SETTINGS}
      lead={<span role="status">{leadOf(list.data?.total, chosen)}</span>}
    >
      {!isNew && <Filters chosen={chosen} set={set} />}
      {list.isError && <Problem problem={list.error} retry={() => list.refetch()} />}
      {!list.data && !list.isError && <Loading />}
      {list.data && (
        <>
          {list.data.total > 0 && (
            <section className={styles.part} aria-label="Statistics">
              <Numbers stats={list.data.stats} />
              <Plots {...chosen} />
            </section>
          )}
          <section className={styles.part} aria-label="Closed and deferred records">
            <Closed
              answer={list.data}
              chosen={chosen}
              page={page}
              onPage={(to) => set("page", String(to))}
              onClear={clear}
            />
          </section>
        </>
      )}
    </Screen>
  );
}
