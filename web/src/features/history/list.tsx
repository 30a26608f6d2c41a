import type { KeyboardEvent } from "react";
import { Button } from "../../kit/button.tsx";
import { roughDays } from "../../kit/dates.ts";
import { capitalized } from "../../kit/text.ts";
import { Day, Moment } from "../../kit/time.tsx";
import { ThingList, ThingRow } from "../things/thing-list.tsx";
import styles from "./list.module.css";
import { type HistoryItem, useReopen } from "./reopen.ts";

const duration = (days: number) => (days === 0 ? "the same day" : `after ${roughDays(days)}`);

const Facts = ({ item }: { item: HistoryItem }) => (
  <>
    <span>{capitalized(item.memory_type)}</span>
    {item.project && <span>{item.project}</span>}
    {item.due_date && (
      <span>
        due <Day day={item.due_date} />
      </span>
    )}
    <span>
      {item.status} <Moment at={item.resolved_at ?? item.updated_at} />
      {item.days_to_resolve !== null && `, ${duration(item.days_to_resolve)}`}
    </span>
  </>
);

const Row = ({ item, onReopen }: { item: HistoryItem; onReopen: () => void }) => {
  const press = (event: KeyboardEvent) => {
    if (event.key !== "r" || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    onReopen();
  };
  return (
    <ThingRow
      href={`/records/${item.id}`}
      kind={item.memory_type}
      title={item.topic}
      facts={<Facts item={item} />}
      onKeyDown={press}
      action={
        <Button kind="quiet" aria-label={`Reopen ${item.topic}`} onPress={onReopen}>
          Reopen
        </Button>
      }
    >
      {item.resolution_note && <span className={styles.note}>{item.resolution_note}</span>}
    </ThingRow>
  );
};

/** The records, most recently closed first. j and k move, r reopens. */
export function HistoryList({ items }: { items: readonly HistoryItem[] }) {
  const { mutate: reopen } = useReopen();
  return (
    <ThingList>
      {items.map((item) => (
        <Row key={item.id} item={item} onReopen={() => reopen(item)} />
      ))}
    </ThingList>
  );
}
