import { useQuery } from "@tanstack/react-query";
import { dashboardApi, type History } from "../../api/dashboard.ts";
import { dayInZone, shortDay } from "../../kit/dates.ts";
import { useTimezone } from "../../kit/time.tsx";
import type { HistoryFilters } from "./filters.tsx";
import { Plot } from "./plot.tsx";
import styles from "./statistics.module.css";
import { resolvedPerSpan, resolvedPerWeek } from "./weeks.ts";

const MAX_RECORDS = 100;

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 });

const Figure = ({ name, value, hint }: { name: string; value: string | number; hint?: string }) => (
  <div className={styles.number}>
    <dt>{name}</dt>
    <dd>{value}</dd>
    {hint && <dd className={styles.means}>{hint}</dd>}
  </div>
);

export const HistoryNumbers = ({ stats }: Pick<History, "stats">) => (
  <dl className={styles.numbers}>
    <Figure name="Resolved this week" value={stats.resolved_this_week} hint="since Monday" />
    <Figure name="Resolved this month" value={stats.resolved_this_month} hint="since the 1st" />
    <Figure
      name="Days to resolve"
      value={stats.avg_days_to_resolve ?? "–"}
      hint="on average, across all resolved records"
    />
    <Figure
      name="Completion rate"
      value={stats.completion_rate_30d === null ? "–" : percent.format(stats.completion_rate_30d)}
      hint="resolved, out of the records closed or deferred in the last 30 days"
    />
  </dl>
);

/** Records resolved per week and how long they took, based on the latest ones. */
export function HistoryPlots({ scope, project, memory_type }: HistoryFilters) {
  const timezone = useTimezone();
  const filters = { scope, project, memory_type };
  const resolved = useQuery({
    queryKey: ["dashboard", "history", "resolved", filters],
    queryFn: () => dashboardApi.history({ ...filters, status: "resolved", limit: MAX_RECORDS }),
  });
  if (resolved.isPending) return <div className={styles.waiting} />;
  if (!resolved.data || resolved.data.items.length === 0) return null;
  const { items, total } = resolved.data;
  const today = dayInZone(timezone);
  const weeks = resolvedPerWeek(items, total, { timezone, today });
  const note = total > items.length ? `Based on the last ${items.length} resolved records.` : undefined;
  return (
    <div className={styles.plots}>
      {weeks.length > 1 && (
        <Plot
          title="Resolved by week"
          unit="Records"
          bars={weeks.map(({ monday, count }, index) => ({
            name: shortDay(monday, today).replace(/^\p{L}+,? | \d{4}$/gu, ""),
            count,
            isNow: index === weeks.length - 1,
          }))}
          {...(note && { note: "Only weeks with complete data." })}
        />
      )}
      <Plot
        title="Days until resolved"
        unit="Records"
        bars={resolvedPerSpan(items)}
        {...(note && { note })}
      />
    </div>
  );
}
