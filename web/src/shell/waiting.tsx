import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { useAgain } from "../state/again.ts";
import { useIsCopy } from "../state/copies.ts";
import { useDraftChanges, waitingDrafts } from "../state/document-drafts.ts";
import { sendWaiting, useOutbox } from "../state/outbox.ts";
import { refreshDocuments, useMe } from "../state/queries.ts";
import {
  isUnderWay,
  onOtherTab,
  readChanges,
  useChanges,
  useWaitingChanges,
  type WaitingChange,
} from "../state/waiting-changes.ts";
import { useOnline } from "./bars.tsx";
import styles from "./waiting.module.css";

const WaitingList = lazy(() => import("./waiting-list.tsx"));

const counted = (count: number, noun: string, [one, more]: [string, string]) =>
  count === 0 ? [] : [`${count} ${noun}${count === 1 ? "" : "s"} ${count === 1 ? one : more}`];

/** So many of each kind wait for the service, and so many for somebody. */
type Counts = Record<"capture" | "change" | "text", { waiting: number; refused: number }>;

const of = (things: readonly { refused?: string }[]) => {
  const refused = things.filter((thing) => thing.refused).length;
  return { waiting: things.length - refused, refused };
};

/** What somebody did at once is one change. */
const stepsOf = (changes: readonly WaitingChange[]) => [
  ...new Map(changes.map((one) => [one.refused ? one.key : one.step, one])).values(),
];

/** "1 capture waits, 2 changes wait for the network; 1 change was refused" */
function wordsFor(counts: Counts): string {
  const all = Object.entries(counts);
  const waiting = all.flatMap(([noun, count]) => counted(count.waiting, noun, ["waits", "wait"]));
  const refused = all.flatMap(([noun, count]) =>
    counted(count.refused, noun, ["was refused", "were refused"]),
  );
  const parts = [waiting.length > 0 ? `${waiting.join(", ")} for the network` : "", ...refused];
  return parts.filter(Boolean).join("; ");
}

/** Sends texts and then changes. Throws ApiError while the service does not answer. */
async function sendWritten(account: string): Promise<void> {
  const { sendDrafts } = await import("../features/document/send-drafts.ts");
  const unsaved = await sendDrafts(account);
  const { sendChanges } = await import("../features/things/send-changes.ts");
  await sendChanges({ unsaved });
}

/**
 * Sends the texts and changes that were made without a network, and asks again until the service has answered.
 *
 * @param mayBeSent whether the service has said whose page this is
 * @returns how many texts wait, once it is known that they have to
 */
function useWritten(account: string | undefined, mayBeSent: boolean): number {
  const times = useDraftChanges();
  const changes = useChanges();
  const shown = useWaitingChanges();
  const isOnline = useOnline();
  const [isWaiting, setWaiting] = useState(false);
  const [texts, setTexts] = useState(0);
  /** Whether it is being sent, and whether there was more to send meanwhile. */
  const busy = useRef<"no" | "yes" | "again">("no");
  const latest = useRef(async () => {});
  const send = async () => {
    if (busy.current !== "no") busy.current = "again";
    if (!account || !mayBeSent || busy.current !== "no") return;
    busy.current = "yes";
    const isDone = await sendWritten(account).then(
      () => true,
      () => false,
    );
    const isMore = (busy.current as string) === "again";
    busy.current = "no";
    setWaiting(!isDone);
    if (isDone && isMore) await latest.current();
  };
  const look = async () => {
    if (!account) return;
    const { length } = await waitingDrafts(account);
    setTexts(length);
    // Those that are being sent already are told by who sends them.
    const isToSend = changes.some(({ refused, step }) => !refused && !isUnderWay(step));
    if (!isWaiting && isOnline && (length > 0 || isToSend)) await send();
  };
  latest.current = look;
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked up again after each change
  useEffect(
    () => void latest.current(),
    [account, mayBeSent, isWaiting, times, changes, shown.length, isOnline],
  );
  useAgain(isWaiting && mayBeSent ? send : undefined);
  return isWaiting || !isOnline ? texts : 0;
}

/** Says what has not arrived yet. Rendered once, in the layout. */
export function Waiting() {
  const me = useMe();
  const captures = useOutbox();
  const changes = useWaitingChanges();
  const [isOpen, setOpen] = useState(false);
  const isCopy = useIsCopy();
  // Until the service has answered, nobody knows whether the session still is this account's.
  useEffect(() => {
    if (me && !isCopy) void sendWaiting();
  }, [me, isCopy]);
  useEffect(() => onOtherTab(() => void refreshDocuments()), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is kept belongs to an account
  useEffect(() => void readChanges(), [me?.id]);
  const text = useWritten(me?.id, !isCopy);
  useAgain(me && !isCopy && captures.some(({ refused }) => !refused) ? sendWaiting : undefined);
  const counts = { capture: of(captures), change: of(stepsOf(changes)), text: { waiting: text, refused: 0 } };
  const words = wordsFor(counts);
  return (
    <div role="status" className={styles.place}>
      {words && (
        <p className={styles.bar}>
          {words}
          <Button kind="quiet" onPress={() => setOpen(true)}>
            Show
          </Button>
        </p>
      )}
      <Dialog title="Not saved yet" isOpen={isOpen && words !== ""} onClose={() => setOpen(false)}>
        <Suspense>
          <WaitingList owner={me?.id ?? ""} hasTexts={text > 0} onClose={() => setOpen(false)} />
        </Suspense>
      </Dialog>
    </div>
  );
}
