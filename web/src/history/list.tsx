import type { KeyboardEvent } from "react";
import { Link } from "wouter";
import type { History } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { span } from "../parts/dates.ts";
import { capitalized, KindIcon } from "../parts/kind.tsx";
import { moveFocus } from "../parts/move-focus.ts";
import { Moment } from "../parts/time.tsx";
import styles from "./list.module.css";
import { useReopen } from "./reopen.ts";

type Item = History["items"][number];

const took = (days: number) => (days === 0 ? "the same day" : `after ${span(days)}`);

const Facts = ({ item }: { item: Item }) => (
  <span className={styles.facts}>
    <span>{capitalized(item.memory_type)}</span>
    {item.project && <span>{item.project}</span>}
    <span>
      {item.status} <Moment at={item.resolved_at ?? item.updated_at} />
      {item.days_to_resolve !== null && `, ${took(item.days_to_resolve)}`}
    </span>
  </span>
);

const Row = ({ item, onReopen }: { item: Item; onReopen: () => void }) => {
  const press = (event: KeyboardEvent) => {
    if (event.key !== "r" || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    onReopen();
  };
  return (
    <li className={styles.item}>
      <Link href={`/records/${item.id}`} className={styles.row} onKeyDown={press}>
        <KindIcon kind={item.memory_type} />
        <span className={styles.words}>
          <span className={styles.topic}>{item.topic}</span>
          {item.resolution_note && <span className={styles.note}>{item.resolution_note}</span>}
          <Facts item={item} />
        </span>
      </Link>
      <Button kind="quiet" aria-label={`Reopen ${item.topic}`} onPress={onReopen}>
        Reopen
      </Button>
    </li>
  );
};

/** What was closed, the last first. j and k move, r reopens. */
export function List({ items }: { items: readonly Item[] }) {
  const { mutate: reopen } = useReopen();
  return (
    <ol className={styles.list} onKeyDown={moveFocus}>
      {items.map((item) => (
        <Row key={item.id} item={item} onReopen={() => reopen(item)} />
      ))}
    </ol>
  );
}
