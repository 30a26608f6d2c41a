import { useSyncExternalStore } from "react";
import { Button } from "../kit/button.tsx";
import styles from "./bars.module.css";
import { useIsCopy } from "../state/copies.ts";
import { reload, useNewVersion } from "../state/new-version.ts";

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

/** What a person should know about the network and the version. Rendered once, in the layout. */
export function Bars() {
  const isOnline = useOnline();
  const isCopy = useIsCopy();
  const hasNewVersion = useNewVersion();
  return (
    <div role="status" className={styles.bars}>
      {!isOnline && <p className={styles.bar}>You are offline: what you write is kept and sent later.</p>}
      {isOnline && isCopy && (
        <p className={styles.bar}>The service does not answer: this is the copy on this device.</p>
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
