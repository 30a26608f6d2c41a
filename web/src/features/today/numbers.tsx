import { Link } from "wouter";
import type { Summary } from "../../api/dashboard.ts";
import { STATUS_NAMES, TYPE_NAMES } from "../things/names.ts";
import styles from "./numbers.module.css";

type BarProps = { name: string; count: number; most: number; href: string };

const Bar = ({ name, count, most, href }: BarProps) => (
  <li className={styles.line}>
    <span className={styles.name}>
      <Link href={href}>{name}</Link>
    </span>
    <span className={styles.bar} aria-hidden="true">
      <span style={{ inlineSize: `${most > 0 ? (100 * count) / most : 0}%` }} />
    </span>
    <span className={styles.count}>{count.toLocaleString("en-GB")}</span>
  </li>
);

function Types({ summary }: { summary: Summary }) {
  const active = summary.by_memory_type.filter((type) => type.active > 0).sort((a, b) => b.active - a.active);
  const most = Math.max(...active.map((type) => type.active), 1);
  return (
    <section aria-label="Active records by type">
      <h2>Active</h2>
      <ul>
        {active.map((type) => (
          <Bar
            key={type.memory_type}
            name={TYPE_NAMES[type.memory_type]}
            count={type.active}
            most={most}
            href={`/records?type=${type.memory_type}`}
          />
        ))}
      </ul>
    </section>
  );
}

const STATUSES = ["active", "deferred", "resolved", "archived"] as const;

function Statuses({ by_status }: Pick<Summary, "by_status">) {
  const most = Math.max(...STATUSES.map((status) => by_status[status]), 1);
  return (
    <section aria-label="All records by status">
      <h2>All records</h2>
      <ul>
        {STATUSES.map((status) => (
          <Bar
            key={status}
            name={STATUS_NAMES[status]}
            count={by_status[status]}
            most={most}
            href={`/records?status=${status}`}
          />
        ))}
      </ul>
    </section>
  );
}

export default function Numbers({ summary }: { summary: Summary }) {
  return (
    <aside className={styles.numbers} aria-label="Numbers">
      <Types summary={summary} />
      <Statuses by_status={summary.by_status} />
    </aside>
  );
}
