import type { Usage } from "../../api/billing.ts";
import styles from "./measures.module.css";
import { formatAmount, LIMIT_REMEDIES, type LimitName, usageLevel } from "./usage.ts";

const LIMIT_NAMES: Record<LimitName, string> = {
  documents: "Documents",
  records: "Records",
  bytes: "Storage",
  api_keys: "API keys",
  connections: "Connections",
  requests_per_day: "Requests today",
};

const HINTS: Partial<Record<LimitName, string>> = {
  bytes: "Includes earlier versions and the trash.",
  requests_per_day: "From assistants, scripts and this app, until midnight UTC.",
};

export const PLAN_NAMES = { free: "Free", pro: "Pro", team: "Team", self_hosted: "Self-hosted" } as const;

/** The level in words, for users who cannot see the colour of the bar. */
const LEVELS = { low: "", near: "almost full", full: "full", over: "over the limit" } as const;

type BarProps = { name: LimitName; used: number; limit: number };

const Bar = ({ name, used, limit }: BarProps) => (
  <dd className={styles.bar}>
    <meter
      className={styles[usageLevel(used, limit)]}
      aria-label={LIMIT_NAMES[name]}
      min={0}
      max={Math.max(1, limit)}
      value={Math.min(used, Math.max(1, limit))}
    >
      {formatAmount(name, used)} of {formatAmount(name, limit)}
    </meter>
  </dd>
);

type MeasureProps = { name: LimitName; used: number; limit: number | null };

function Measured({ name, used, limit }: MeasureProps) {
  const level = limit === null ? "low" : usageLevel(used, limit);
  const isFull = level === "full" || level === "over";
  const notes = [HINTS[name], isFull && `${LIMIT_REMEDIES[name]}.`].filter(Boolean);
  return (
    <div className={styles.measure}>
      <dt>{LIMIT_NAMES[name]}</dt>
      <dd className={styles.figures}>
        {level !== "low" && <strong className={styles[level]}>{LEVELS[level]} · </strong>}
        {formatAmount(name, used)}
        {limit !== null && ` of ${formatAmount(name, limit)}`}
      </dd>
      {limit !== null && <Bar name={name} used={used} limit={limit} />}
      {notes.length > 0 && <dd className={styles.note}>{notes.join(" ")}</dd>}
    </div>
  );
}

export const LIMIT_ORDER = Object.keys(LIMIT_NAMES) as LimitName[];

export function UsageMeasures({ usage }: { usage: Usage }) {
  const shown = LIMIT_ORDER.flatMap((name) => {
    const { used, limit } = usage[name];
    return used === null ? [] : [{ name, used, limit }];
  });
  return (
    <dl className={styles.usage}>
      {shown.map((one) => (
        <Measured key={one.name} {...one} />
      ))}
    </dl>
  );
}

/** Whether the plan has limits, and whether any is reached. */
export function limitState(usage: Usage): { isLimited: boolean; isFull: boolean } {
  const limited = LIMIT_ORDER.flatMap((name) => {
    const { used, limit } = usage[name];
    return used === null || limit === null ? [] : [{ used, limit }];
  });
  return { isLimited: limited.length > 0, isFull: limited.some(({ used, limit }) => used >= limit) };
}

export const LIMIT_REACHED_TEXT =
  "Nothing can be added where a limit is reached. Reading, exporting, shortening and deleting still work.";
