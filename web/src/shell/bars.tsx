import type { ReactNode } from "react";
import { Button } from "../kit/button.tsx";
import { Moment } from "../kit/time.tsx";
import { askNow, useAgain, useIsOutdated, useIsWaitedFor } from "../state/again.ts";
import { useCopySince } from "../state/copies.ts";
import { reload, useNewVersion } from "../state/new-version.ts";
import { useOnline } from "../state/online.ts";
import { queries } from "../state/queries.ts";
import styles from "./bars.module.css";
import { useWaiting } from "./waiting.tsx";

/** Asks for everything that is shown. */
const renew = () => queries.refetchQueries({ type: "active" });

const OFFLINE = "You are offline";
const NO_ANSWER = "The service does not answer";

/** What is true of the network, as far as a person should know it; undefined while there is nothing to say. */
function useNetwork(): { isOnline: boolean; isOutdated: boolean; since: number | undefined } | undefined {
  const isOnline = useOnline();
  const since = useCopySince();
  const isOutdated = useIsOutdated();
  const isWaitedFor = useIsWaitedFor();
  useAgain(since === undefined ? undefined : renew);
  const isAnswering = isOnline && since === undefined && !isOutdated && !isWaitedFor;
  return isAnswering ? undefined : { isOnline, isOutdated, since };
}

/** When what is shown was an answer. */
const From = ({ since }: { since: number }) => (
  <>
    {" "}
    What you see is on this device, from <Moment at={new Date(since).toISOString()} />.
  </>
);

const OLD = ": what you see may be out of date.";
const AGAIN = "It is asked again by itself.";

/** What follows the first words of the line, besides what waits. */
function restOf(isOnline: boolean, isOld: boolean, words: string): string {
  if (words) return isOnline && isOld ? `${OLD} ${words}.` : `. ${words}.`;
  if (!isOnline) return ": what you write is kept and sent later.";
  return isOld ? `${OLD} ${AGAIN}` : `. ${AGAIN}`;
}

/** One line about the network and what waits for it: the parts never say it twice, or against each other. */
function Line({ words, children }: { words: string; children: ReactNode }) {
  const network = useNetwork();
  if (!network && !words) return null;
  const { isOnline = true, isOutdated = false, since } = network ?? {};
  const head = network && (isOnline ? NO_ANSWER : OFFLINE);
  const rest = head ? restOf(isOnline, isOutdated && since === undefined, words) : `${words}.`;
  return (
    <p className={styles.bar}>
      <span>
        {head}
        {rest}
        {since !== undefined && <From since={since} />}
      </span>
      {network && isOnline && (
        <Button kind="quiet" onPress={askNow}>
          Try now
        </Button>
      )}
      {words && children}
    </p>
  );
}

/** What a person should know about the network, what is not saved, and the version. Rendered once, in the layout. */
export function Bars() {
  const { words, way, list } = useWaiting();
  const hasNewVersion = useNewVersion();
  return (
    <div role="status" className={styles.bars}>
      <Line words={words}>{way}</Line>
      {hasNewVersion && (
        <p className={styles.bar}>
          A new version is ready.
          <Button kind="quiet" onPress={reload}>
            Reload
          </Button>
        </p>
      )}
      {list}
    </div>
  );
}
