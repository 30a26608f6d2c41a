import type { ReactNode } from "react";
import { Button } from "../kit/button.tsx";
import { useMedia } from "../kit/media.ts";
import { Moment } from "../kit/time.tsx";
import { useShownCopiesSince } from "../state/copies.ts";
import { activateNewVersion, useNewVersion } from "../state/new-version.ts";
import { useOnline } from "../state/online.ts";
import { queries } from "../state/queries.ts";
import { retryNow, useIsOutdated, useIsRetryPending, useOnReconnect } from "../state/retry-loop.ts";
import styles from "./bars.module.css";
import { usePendingState } from "./pending-state.tsx";
import { ScreenBoundary } from "./screen-boundary.tsx";

const refetchActive = () => queries.refetchQueries({ type: "active" });

const OFFLINE = "You’re offline";
/** Where the longer words would take three lines. */
const NARROW = "(max-width: 22rem)";
const NO_ANSWER = "Can’t reach the server";

/** The state of the network; undefined while everything works. */
function useNetworkState() {
  const isOnline = useOnline();
  const since = useShownCopiesSince();
  const isOutdated = useIsOutdated();
  const isWaitedFor = useIsRetryPending();
  useOnReconnect(since === undefined ? undefined : refetchActive);
  const isAnswering = isOnline && since === undefined && !isOutdated && !isWaitedFor;
  return isAnswering ? undefined : { isOnline, isOutdated, since };
}

const MAY_BE_OLD = ". What you see may be out of date.";
const RETRYING = "Retrying…";

/** The end of the line: pending changes, or what happens next. */
function lineEnd(isOnline: boolean, isOld: boolean, isCopy: boolean, words: string): string {
  if (words) return isOnline && isOld ? `${MAY_BE_OLD} ${words}.` : `. ${words}.`;
  if (!isOnline) return isCopy ? "; changes will sync later." : ". Changes will sync later.";
  return isOld ? `${MAY_BE_OLD} ${RETRYING}` : `. ${RETRYING}`;
}

/** How the line begins: what is wrong, and from when the copies are that are shown. */
function useLineStart(network: ReturnType<typeof useNetworkState>): string | undefined {
  const isNarrow = useMedia(NARROW);
  if (!network) return undefined;
  const start = network.isOnline ? NO_ANSWER : isNarrow ? "Offline" : OFFLINE;
  if (network.since === undefined) return start;
  return start + (isNarrow ? ", as of " : ". Showing what was here ");
}

/** A single line about the network and pending changes, so that messages neither repeat nor contradict each other. */
function Line({ words, children }: { words: string; children: ReactNode }) {
  const network = useNetworkState();
  const head = useLineStart(network);
  if (!network && !words) return null;
  const { isOnline = true, isOutdated = false, since } = network ?? {};
  const isCopy = since !== undefined;
  const rest = head ? lineEnd(isOnline, isOutdated && !isCopy, isCopy, words) : `${words}.`;
  return (
    <p className={styles.bar}>
      <span>
        {head}
        {since !== undefined && <Moment at={new Date(since).toISOString()} />}
        {rest}
      </span>
      {network && isOnline && (
        <Button kind="quiet" onPress={retryNow}>
          Try now
        </Button>
      )}
      {words && children}
    </p>
  );
}

/** Notices about the network, pending changes and new versions. Rendered once, in the layout. */
export function Bars() {
  const { words, way, list } = usePendingState();
  const hasNewVersion = useNewVersion();
  return (
    <div role="status" className={styles.bars}>
      <Line words={words}>{way}</Line>
      {hasNewVersion && (
        <p className={styles.bar}>
          A new version is ready.
          <Button kind="quiet" onPress={activateNewVersion}>
            Reload
          </Button>
        </p>
      )}
      <ScreenBoundary isPart>{list}</ScreenBoundary>
    </div>
  );
}
