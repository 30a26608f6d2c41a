import { Section } from "../../kit/section.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { amount, type Limited, levelOf, REMEDIES, useUsage } from "../usage/usage.ts";
import styles from "./usage.module.css";

const NAMES: Record<Limited, string> = {
  documents: "Documents",
  records: "Records",
  bytes: "Storage",
  api_keys: "API keys",
  connections: "Connections",
  requests_per_day: "Requests today",
};

const HINTS: Partial<Record<Limited, string>> = {
  bytes: "With earlier versions and the trash.",
  requests_per_day: "From assistants, scripts and this app, until midnight UTC.",
};

const PLANS = { free: "Free", pro: "Pro", team: "Team", self_hosted: "Self-hosted" } as const;

/** Beside the colour of the bar, for those who do not see it. */
const LEVELS = { low: "", near: "almost full", full: "full", over: "over the limit" } as const;

type BarProps = { name: Limited; used: number; limit: number };

const Bar = ({ name, used, limit }: BarProps) => (
  <dd className={styles.bar}>
    <meter
      className={styles[levelOf(used, limit)]}
      aria-label={NAMES[name]}
      min={0}
      max={Math.max(1, limit)}
      value={Math.min(used, Math.max(1, limit))}
    >
      {amount(name, used)} of {amount(name, limit)}
    </meter>
  </dd>
);

type MeasureProps = { name: Limited; used: number; limit: number | null };

function Measured({ name, used, limit }: MeasureProps) {
  const level = limit === null ? "low" : levelOf(used, limit);
  const isFull = level === "full" || level === "over";
  const notes = [HINTS[name], isFull && `${REMEDIES[name]}.`].filter(Boolean);
  return (
    <div className={styles.measure}>
      <dt>{NAMES[name]}</dt>
      <dd className={styles.figures}>
        {level !== "low" && <strong className={styles[level]}>{LEVELS[level]} · </strong>}
        {amount(name, used)}
        {limit !== null && ` of ${amount(name, limit)}`}
      </dd>
      {limit !== null && <Bar name={name} used={used} limit={limit} />}
      {notes.length > 0 && <dd className={styles.note}>{notes.join(" ")}</dd>}
    </div>
  );
}

const ORDER: Limited[] = ["documents", "records", "bytes", "api_keys", "connections", "requests_per_day"];

const FULL = " What is full takes nothing more. Reading, exporting, shortening and deleting work as always.";

/** How much of the plan's limits is used; without limits, just how much there is. */
export function UsageSection() {
  const { data, error, refetch } = useUsage(0);
  const shown = ORDER.flatMap((name) => {
    const { used, limit } = data?.[name] ?? { used: null, limit: null };
    return used === null ? [] : [{ name, used, limit }];
  });
  const limited = shown.some(({ limit }) => limit !== null);
  const isFull = shown.some(({ used, limit }) => limit !== null && used >= limit);
  return (
    <div id="usage">
      <Section
        id="usage"
        title="Usage"
        lead={
          limited && data
            ? `What you use of the ${PLANS[data.plan_tier]} plan.${isFull ? FULL : ""}`
            : undefined
        }
      >
        {error && !data && <Problem problem={error} retry={refetch} />}
        {!data && !error && <Loading />}
        {data && (
          <dl className={styles.usage}>
            {shown.map((one) => (
              <Measured key={one.name} {...one} />
            ))}
          </dl>
        )}
      </Section>
    </div>
  );
}
