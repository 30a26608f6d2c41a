import { Link } from "wouter";
import styles from "./near-limit.module.css";
import {
  findNearestLimit,
  formatAmount,
  LIMIT_NOUNS,
  LIMIT_REMEDIES,
  type LimitName,
  type NearestLimit,
  useUsage,
} from "./usage.ts";

/** "1,650 of 2,000 documents used." */
function usageText({ name, used, limit, level }: NearestLimit): string {
  const [some, all] = [formatAmount(name, used), formatAmount(name, limit)];
  const isStorage = name === "bytes";
  if (level === "near") return `${some} of ${all} ${LIMIT_NOUNS[name]} used.`;
  if (level === "over")
    return `You have ${some} ${isStorage ? "stored" : LIMIT_NOUNS[name]}; your plan allows ${all}.`;
  return `You’ve reached your plan’s limit of ${all} ${isStorage ? "of storage" : LIMIT_NOUNS[name]}.`;
}

/** Warns where things are created, once a limit is 80 per cent used. */
export default function NearLimit({ of }: { of: readonly LimitName[] }) {
  const near = findNearestLimit(useUsage().data, of);
  if (!near) return null;
  const isNear = near.level === "near";
  return (
    <p className={isNear ? styles.near : styles.full} role="status">
      {usageText(near)} {!isNear && `${LIMIT_REMEDIES[near.name]}. `}
      <Link href="/settings#usage">{isNear ? "See what’s left" : "See what uses it"}</Link>
    </p>
  );
}
