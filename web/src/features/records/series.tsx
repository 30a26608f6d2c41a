import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { pathOf } from "../../../../src/contract/paths.ts";
import type { Memory } from "../../api/memories.ts";
import { relativeInstant } from "../../kit/dates.ts";
import { Day, useTimezone } from "../../kit/time.tsx";
import { readRecords } from "../../state/reading-records.ts";
import { STATUS_NAMES } from "../things/names.ts";
import styles from "./record.module.css";

/** So many of a series are shown, the newest first. */
const SHOWN = 12;

/** What became of one of them: "resolved yesterday", "skipped 3 days ago"; "open" while it is. */
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

/** The newest records of the series that a record belongs to. */
function useSeries({ id, series_id }: Memory) {
  const { data } = useQuery({
    queryKey: ["memories", "series", series_id],
    queryFn: (asking) =>
      readRecords(
        {
          series_id: series_id ?? id,
          sort: "created_at",
          order: "desc",
          limit: SHOWN + 1,
          content_length: 0,
        },
        asking,
      ),
    enabled: series_id !== null,
  });
  return data && { ...data, last: Math.max(...data.items.map((one) => one.id)) };
}

/** Whether another one of its series came after a record: then it was let go alone. */
export function useGoesOn(memory: Memory): boolean {
  const last = useSeries(memory)?.last;
  return last !== undefined && last > memory.id;
}

/** The other records of a series, each a link. */
export function Series({ memory }: { memory: Memory }) {
  const data = useSeries(memory);
  const { id } = memory;
  const others = data?.items.filter((one) => one.id !== id) ?? [];
  if (!data || others.length === 0) return null;
  const more = data.total - 1 - others.length;
  return (
    <section className={styles.series} aria-labelledby="series">
      <h3 id="series">Others of its series</h3>
      <ul>
        {others.map((one) => (
          <li key={one.id}>
            <Link href={pathOf("record", one.id)}>
              {one.due_date ? <Day day={one.due_date} /> : `Record ${one.id}`}
            </Link>{" "}
            <span className={styles.quiet}>
              <Outcome memory={one} isLast={one.id === data.last} />
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className={styles.quiet}>and {more.toLocaleString("en-GB")} before them</p>}
    </section>
  );
}
