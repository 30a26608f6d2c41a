import { useEffect, useRef, useState } from "react";
import { Button } from "../kit/button.tsx";
import { Actions, Dialog } from "../kit/dialog.tsx";
import { useAgain } from "../state/again.ts";
import { useIsCopy } from "../state/copies.ts";
import { useDraftChanges, waitingDrafts } from "../state/document-drafts.ts";
import { type Capture, discard, sendWaiting, useOutbox } from "../state/outbox.ts";
import { useMe } from "../state/queries.ts";
import styles from "./waiting.module.css";

function wordsFor(captures: readonly Capture[]): string {
  const refused = captures.filter((capture) => capture.refused).length;
  const waiting = captures.length - refused;
  const count = (number: number) => `${number} capture${number === 1 ? "" : "s"}`;
  if (waiting === 0) return `${count(refused)} ${refused === 1 ? "was" : "were"} refused`;
  return `${count(waiting)} ${waiting === 1 ? "waits" : "wait"} for the network`;
}

const Line = ({ capture: { key, text, refused } }: { capture: Capture }) => (
  <li className={styles.line}>
    <span>
      {text}
      {refused && <span className={styles.refused}>{refused}</span>}
    </span>
    <Button onPress={() => void discard(key)} aria-label={`Discard ${text}`}>
      Discard
    </Button>
  </li>
);

/** Sends the texts that were written without a network, and asks again until the service has answered. */
function useDrafts(account: string | undefined): void {
  const times = useDraftChanges();
  const [isWaiting, setWaiting] = useState(false);
  const isBusy = useRef(false);
  const send = async () => {
    if (!account || isBusy.current) return;
    isBusy.current = true;
    const isDone = await import("../features/document/send-drafts.ts")
      .then(({ sendDrafts }) => sendDrafts(account))
      .then(
        () => true,
        () => false,
      );
    isBusy.current = false;
    setWaiting(!isDone);
  };
  const latest = useRef(send);
  latest.current = send;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what waits is looked up again after each change of a draft
  useEffect(() => {
    if (!account || isWaiting) return;
    void waitingDrafts(account).then(async (ids) => {
      if (ids.length > 0) await latest.current();
    });
  }, [account, isWaiting, times]);
  useAgain(isWaiting ? send : undefined);
}

/** Says which captures have not arrived yet. Rendered once, in the layout. */
export function Waiting() {
  const me = useMe();
  const captures = useOutbox();
  const [isOpen, setOpen] = useState(false);
  const isCopy = useIsCopy();
  // Until the service has answered, nobody knows whether the session still is this account's.
  useEffect(() => {
    if (me && !isCopy) void sendWaiting();
  }, [me, isCopy]);
  useDrafts(isCopy ? undefined : me?.id);
  useAgain(me && !isCopy && captures.some(({ refused }) => !refused) ? sendWaiting : undefined);
  return (
    <div role="status" className={styles.place}>
      {captures.length > 0 && (
        <p className={styles.bar}>
          {wordsFor(captures)}
          <Button kind="quiet" onPress={() => setOpen(true)}>
            Show
          </Button>
        </p>
      )}
      <Dialog title="Not saved yet" isOpen={isOpen && captures.length > 0} onClose={() => setOpen(false)}>
        <p>Kept in this browser, and sent as soon as the service answers.</p>
        <ul>
          {captures.map((capture) => (
            <Line key={capture.key} capture={capture} />
          ))}
        </ul>
        <Actions>
          <Button onPress={() => setOpen(false)}>Close</Button>
          <Button kind="primary" onPress={() => void sendWaiting()}>
            Send now
          </Button>
        </Actions>
      </Dialog>
    </div>
  );
}
