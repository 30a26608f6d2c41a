import { useSyncExternalStore } from "react";
import { Button } from "../kit/button.tsx";
import { Moment } from "../kit/time.tsx";
import { askNow, useAgain, useIsOutdated } from "../state/again.ts";
import { useCopySince } from "../state/copies.ts";
import { reload, useNewVersion } from "../state/new-version.ts";
import { queries } from "../state/queries.ts";
import { stopAll, useUnanswered } from "../state/unanswered.ts";
import styles from "./bars.module.css";

const subscribe = (listener: () => void) => {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
};

/** Whether the browser has a network. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);

/** Asks for everything that is shown. */
const renew = () => queries.refetchQueries({ type: "active" });

const OLD = "The service does not answer: what you see may be out of date. It is asked again by itself.";

const OFFLINE = "You are offline: what you write is kept and sent later.";

/** When the oldest of the copies that are shown was an answer. */
const From = ({ since }: { since: number }) => (
  <>
    What you see is on this device, from <Moment at={new Date(since).toISOString()} />.
  </>
);

const wordsFor = (count: number) =>
  count === 1
    ? "The service has not answered your last change, which is sent again by itself."
    : `The service has not answered ${count} changes. Each is sent again by itself.`;

/** The changes that are sent again, until they are answered or somebody stops that. */
const Changes = ({ count }: { count: number }) => (
  <p className={styles.bar}>
    {wordsFor(count)}
    <Button kind="quiet" onPress={askNow}>
      Try now
    </Button>
    <Button kind="quiet" onPress={stopAll}>
      Stop
    </Button>
  </p>
);

/** What a person should know about the network and the version. Rendered once, in the layout. */
export function Bars() {
  const isOnline = useOnline();
  const since = useCopySince();
  const isOutdated = useIsOutdated();
  const { length: unanswered } = useUnanswered();
  const hasNewVersion = useNewVersion();
  useAgain(since === undefined ? undefined : renew);
  return (
    <div role="status" className={styles.bars}>
      {!isOnline && (
        <p className={styles.bar}>
          <span>
            {OFFLINE}
            {since !== undefined && (
              <>
                {" "}
                <From since={since} />
              </>
            )}
          </span>
        </p>
      )}
      {unanswered > 0 && <Changes count={unanswered} />}
      {isOnline && (since !== undefined || (unanswered === 0 && isOutdated)) && (
        <p className={styles.bar}>
          {since === undefined ? (
            OLD
          ) : (
            <span>
              The service does not answer. <From since={since} /> It is asked again by itself.
            </span>
          )}
          <Button kind="quiet" onPress={askNow}>
            Try now
          </Button>
        </p>
      )}
      {hasNewVersion && (
        <p className={styles.bar}>
          A new version is ready.
          <Button kind="quiet" onPress={reload}>
            Reload
          </Button>
        </p>
      )}
    </div>
  );
}
