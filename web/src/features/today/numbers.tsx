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
      <span style={{ inlineSize: `${(100 * count) / most}%` }} />
    </span>
    <span className={styles.count}>{count.toLocaleString("en-GB")}</span>
  </li>
);

type BarsProps = { title: string; label: string; bars: readonly Omit<BarProps, "most">[] };

function Bars({ title, label, bars }: BarsProps) {
  const most = Math.max(...bars.map(({ count }) => count), 1);
  return (
    <section aria-label={label}>
      <h2>{title}</h2>
      <ul>
        {bars.map((bar) => (
          <Bar key={bar.href} {...bar} most={most} />
        ))}
      </ul>
    </section>
  );
}

const STATUSES = ["active", "deferred", "resolved", "archived"] as const;

export default function Numbers({ summary: { by_memory_type, by_status } }: { summary: Summary }) {
  const types = by_memory_type
    .filter(({ active }) => active > 0)
    .sort((a, b) => b.active - a.active)
    .map(({ memory_type: type, active }) => ({
      name: TYPE_NAMES[type],
      count: active,
      href: `/records?type=${type}`,
    }));
  const statuses = STATUSES.map((status) => ({
    name: STATUS_NAMES[status],
    count: by_status[status],
    href: `/records?status=${status}`,
  }));
  return (
    <aside className={styles.numbers} aria-label="Numbers">
      {types.length > 0 && <Bars title="Active" label="Active records by type" bars={types} />}
      <Bars title="All records" label="All records by status" bars={statuses} />
    </aside>
  );
}
