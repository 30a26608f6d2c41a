import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { screenPath } from "../../../../src/contract/paths.ts";
import type { Memory } from "../../api/memories.ts";
import { relativeInstant } from "../../kit/dates.ts";
import { Day, useTimezone } from "../../kit/time.tsx";
import { readRecords } from "../../state/read-records.ts";
import { STATUS_NAMES } from "../things/names.ts";
import styles from "./record.module.css";

/** How many records of a series are shown, newest first. */
const SHOWN_RECORDS = 12;

/** The outcome of a record: "resolved yesterday", "skipped 3 days ago", or "open". */
function Outcome({ memory, isLast }: { memory: Memory; isLast: boolean }) {
  const timezone = useTimezone();
  const { status, updated_at, resolved_at } = memory;
  if (status === "active") return <>open</>;
  const name = status === "archived" && !isLast ? "skipped" : STATUS_NAMES[status].toLowerCase();
  return (
    <>
      {name} {relativeInstant(resolved_at ?? updated_at, timezone)}
    </>
  );
}

function useSeries({ id, series_id }: Memory) {
  const { data } = useQuery({
    queryKey: ["memories", "series", series_id],
    queryFn: (context) =>
      readRecords(
        {
          series_id: series_id ?? id,
          sort: "created_at",
          order: "desc",
          limit: SHOWN_RECORDS + 1,
          content_length: 0,
        },
        context,
      ),
    enabled: series_id !== null,
  });
  return data && { ...data, last: Math.max(...data.items.map((one) => one.id)) };
}

/** Whether a later record of the series exists. If so, an archived record was only skipped. */
export function useHasLaterOccurrence(memory: Memory): boolean {
  const last = useSeries(memory)?.last;
  return last !== undefined && last > memory.id;
}

export function Series({ memory }: { memory: Memory }) {
  const data = useSeries(memory);
  const { id } = memory;
  const others = data?.items.filter((one) => one.id !== id) ?? [];
  if (!data || others.length === 0) return null;
  const more = data.total - 1 - others.length;
  return (
    <section className={styles.series} aria-labelledby="series">
      <h3 id="series">Other records in this series</h3>
      <ul>
        {others.map((one) => (
          <li key={one.id}>
            <Link href={screenPath("record", one.id)}>
              {one.due_date ? <Day day={one.due_date} /> : `Record ${one.id}`}
            </Link>{" "}
            <span className={styles.quiet}>
              <Outcome memory={one} isLast={one.id === data.last} />
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className={styles.quiet}>and {more.toLocaleString("en-GB")} earlier ones</p>}
    </section>
  );
}
