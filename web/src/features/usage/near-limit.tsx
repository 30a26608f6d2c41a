import { Link } from "wouter";
import styles from "./near-limit.module.css";
import { amount, type Limited, type Near, NOUNS, nearest, REMEDIES, useUsage } from "./usage.ts";

/** What is said: `1,650 of 2,000 documents are used`. */
function wordsOf({ name, used, limit, level }: Near): string {
  const [some, all] = [amount(name, used), amount(name, limit)];
  const isStorage = name === "bytes";
  if (level === "near")
    return `${some} of ${all} ${isStorage ? "of storage are" : `${NOUNS[name]} are`} used.`;
  if (level === "over")
    return `You have ${some} ${isStorage ? "stored" : NOUNS[name]}; your plan has ${all}.`;
  return isStorage
    ? `All ${all} of your storage are used.`
    : `You have all ${all} ${NOUNS[name]} of your plan.`;
}

/** Where things are created: how near the limits are, from 80 per cent on. Says nothing otherwise. */
export function NearLimit({ of }: { of: readonly Limited[] }) {
  const near = nearest(useUsage().data, of);
  if (!near) return null;
  const isNear = near.level === "near";
  return (
    <p className={isNear ? styles.near : styles.full} role="status">
      {wordsOf(near)} {!isNear && `${REMEDIES[near.name]}. `}
      <Link href="/settings#usage">{isNear ? "See what is left" : "What uses it"}</Link>
    </p>
  );
}
