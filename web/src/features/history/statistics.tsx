import { useQuery } from "@tanstack/react-query";
import { dashboardApi, type History } from "../../api/dashboard.ts";
import { dayIn, shortDay } from "../../kit/dates.ts";
import { useTimezone } from "../../kit/time.tsx";
import type { Chosen } from "./filters.tsx";
import { Plot } from "./plot.tsx";
import styles from "./statistics.module.css";
import { spansOf, weeksOf } from "./weeks.ts";

const MOST = 100;

type Stats = History["stats"];

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 });

const Figure = ({ name, value, means }: { name: string; value: string | number; means?: string }) => (
  <div className={styles.number}>
    <dt>{name}</dt>
    <dd>{value}</dd>
    {means && <dd className={styles.means}>{means}</dd>}
  </div>
);

/** The numbers of the dashboard as it says them. */
export const Numbers = ({ stats }: { stats: Stats }) => (
  <dl className={styles.numbers}>
    <Figure name="Resolved this week" value={stats.resolved_this_week} means="since Monday" />
    <Figure name="Resolved this month" value={stats.resolved_this_month} means="since the 1st" />
    <Figure
      name="Days it takes"
      value={stats.avg_days_to_resolve ?? "–"}
      means="on average, over all resolved records"
    />
    <Figure
      name="Completion rate"
      value={stats.completion_rate_30d === null ? "–" : percent.format(stats.completion_rate_30d)}
      means="resolved, of what was closed in the last 30 days"
    />
  </dl>
);

/** How many of the latest records were resolved each week, and how long they took. */
export function Plots({ scope, project, memory_type }: Chosen) {
  const timezone = useTimezone();
  const filters = { scope, project, memory_type };
  const resolved = useQuery({
    queryKey: ["dashboard", "history", "resolved", filters],
    queryFn: () => dashboardApi.history({ ...filters, status: "resolved", limit: MOST }),
  });
  if (resolved.isPending) return <div className={styles.waiting} />;
  if (!resolved.data || resolved.data.items.length === 0) return null;
  const { items, total } = resolved.data;
  const today = dayIn(timezone);
  const weeks = weeksOf(items, total, { timezone, today });
  const last = total > items.length ? `Of the ${items.length} records resolved last.` : undefined;
  return (
    <div className={styles.plots}>
      {weeks.length > 1 && (
        <Plot
          title="Resolved by week"
          unit="Records"
          bars={weeks.map(({ monday, count }, place) => ({
            name: shortDay(monday, today).replace(/^\p{L}+,? | \d{4}$/gu, ""),
            count,
            isNow: place === weeks.length - 1,
          }))}
          {...(last && { note: "Only the weeks that are known completely." })}
        />
      )}
      <Plot
        title="How long they took, in days"
        unit="Records"
        bars={spansOf(items)}
        {...(last && { note: last })}
      />
    </div>
  );
}
