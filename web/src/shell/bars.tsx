import { useSyncExternalStore } from "react";
import { Button } from "../kit/button.tsx";
import { askNow, useAgain, useIsOutdated } from "../state/again.ts";
import { useIsCopy } from "../state/copies.ts";
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

const NO_ANSWER = {
  copy: "The service does not answer: this is the copy on this device. It is asked again by itself.",
  old: "The service does not answer: what you see may be out of date. It is asked again by itself.",
};

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
  const isCopy = useIsCopy();
  const isOutdated = useIsOutdated();
  const { length: unanswered } = useUnanswered();
  const hasNewVersion = useNewVersion();
  useAgain(isCopy ? renew : undefined);
  return (
    <div role="status" className={styles.bars}>
      {!isOnline && <p className={styles.bar}>You are offline: what you write is kept and sent later.</p>}
      {unanswered > 0 && <Changes count={unanswered} />}
      {isOnline && unanswered === 0 && (isCopy || isOutdated) && (
        <p className={styles.bar}>
          {isCopy ? NO_ANSWER.copy : NO_ANSWER.old}
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
