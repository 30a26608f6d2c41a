import type { ReactNode } from "react";
import { isTransientError } from "../api/request.ts";
import { UserFacingError } from "../api/user-facing-error.ts";
import { useOnline } from "../state/online.ts";
import { retryNow } from "../state/retry-loop.ts";
import { Button } from "./button.tsx";
import styles from "./states.module.css";

/** Appears only after a moment, so that fast responses do not flicker. */
export const Loading = () => (
  <div className={styles.loading} role="status" data-loading>
    <span className="visually-hidden">Loading…</span>
    <div className={styles.bars} aria-hidden="true" />
  </div>
);

const errorText = (problem: Error) =>
  problem instanceof UserFacingError ? problem.message : "Something went wrong while showing this.";

/** `retry`: not called for transient errors, which are retried automatically. */
type ProblemProps = { problem: Error; retry?: (() => void) | undefined; children?: ReactNode };

export function Problem({ problem, retry, children }: ProblemProps) {
  const isOnline = useOnline();
  const isRetried = isTransientError(problem);
  return (
    <div className={styles.problem} role="alert">
      <p>{errorText(problem)}</p>
      {retry && isRetried && (
        <p className={styles.again}>Will retry {isOnline ? "automatically" : "once you’re online"}.</p>
      )}
      {retry && (isOnline || !isRetried) && (
        <Button onPress={isRetried ? retryNow : retry}>{isRetried ? "Try now" : "Try again"}</Button>
      )}
      {children}
    </div>
  );
}

/** An empty state: says what will be shown here and how to start. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className={styles.empty}>
    <h2>{title}</h2>
    {children}
  </div>
);
