import { useSyncExternalStore } from "react";
import { Button } from "../kit/button.tsx";
import { askNow, useAgain, useIsOutdated } from "../state/again.ts";
import { useIsCopy } from "../state/copies.ts";
import { reload, useNewVersion } from "../state/new-version.ts";
import { queries } from "../state/queries.ts";
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

/** What a person should know about the network and the version. Rendered once, in the layout. */
export function Bars() {
  const isOnline = useOnline();
  const isCopy = useIsCopy();
  const isOutdated = useIsOutdated();
  const hasNewVersion = useNewVersion();
  useAgain(isCopy ? renew : undefined);
  return (
    <div role="status" className={styles.bars}>
      {!isOnline && <p className={styles.bar}>You are offline: what you write is kept and sent later.</p>}
      {isOnline && (isCopy || isOutdated) && (
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
