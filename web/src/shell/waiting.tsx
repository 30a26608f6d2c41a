import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { useAgain } from "../state/again.ts";
import { useIsCopy } from "../state/copies.ts";
import { type Kept, keptDrafts, tellWaiting, useDraftChanges } from "../state/document-drafts.ts";
import { useOnline } from "../state/online.ts";
import { sendWaiting, useOutbox } from "../state/outbox.ts";
import { refreshDocuments, useMe } from "../state/queries.ts";
import { useUnanswered } from "../state/unanswered.ts";
import {
  isUnderWay,
  onOtherTab,
  readChanges,
  useChanges,
  useWaitingChanges,
  type WaitingChange,
} from "../state/waiting-changes.ts";
import { isToDo, readFiles, useFilesHere } from "../state/waiting-files.ts";
import { readSteps, sendSteps, useIsStepToSend, useWaitingSteps } from "../state/waiting-steps.ts";

const WaitingList = lazy(() => import("./waiting-list.tsx"));

const counted = (count: number, noun: string, [one, more]: [string, string]) =>
  count === 0 ? [] : [`${count} ${noun}${count === 1 ? "" : "s"} ${count === 1 ? one : more}`];

/** So many of each kind wait for the service, and so many for somebody. */
type Counts = Record<"capture" | "file" | "change" | "text", { waiting: number; refused: number }>;

const of = (things: readonly { refused?: string | undefined }[]) => {
  const refused = things.filter((thing) => thing.refused).length;
  return { waiting: things.length - refused, refused };
};

/** What somebody did at once is one change. */
const stepsOf = (changes: readonly WaitingChange[]) => [
  ...new Map(changes.map((one) => [one.refused ? one.key : one.step, one])).values(),
];

/** "1 capture waits, 2 changes wait for the network; 1 change was refused; 1 text needs you" */
function wordsFor({ text, ...counts }: Counts): string {
  const all = Object.entries({ ...counts, text: { ...text, refused: 0 } });
  const waiting = all.flatMap(([noun, count]) => counted(count.waiting, noun, ["waits", "wait"]));
  const refused = all.flatMap(([noun, count]) =>
    counted(count.refused, noun, ["was refused", "were refused"]),
  );
  const texts = counted(text.refused, "text", ["needs you", "need you"]);
  const parts = [waiting.length > 0 ? `${waiting.join(", ")} for the network` : "", ...refused, ...texts];
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
 * @returns how many texts wait, once it is known that they have to, and how many somebody has to decide on
 */
function useWritten(account: string | undefined, mayBeSent: boolean): Counts["text"] {
  const times = useDraftChanges();
  const changes = useChanges();
  const shown = useWaitingChanges();
  const isOnline = useOnline();
  const [isWaiting, setWaiting] = useState(false);
  const [texts, setTexts] = useState<readonly Kept[]>([]);
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
    const drafts = await keptDrafts(account);
    setTexts(drafts);
    // Those that are being sent already are told by who sends them.
    const isToSend = [...drafts, ...changes.filter(({ step }) => !isUnderWay(step))].some(
      ({ refused }) => !refused,
    );
    if (!isWaiting && isOnline && isToSend) await send();
  };
  latest.current = look;
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked up again after each change
  useEffect(
    () => void latest.current(),
    [account, mayBeSent, isWaiting, times, changes, shown.length, isOnline],
  );
  useAgain(isWaiting && mayBeSent ? send : undefined);
  useEffect(() => tellWaiting(isWaiting || !isOnline), [isWaiting, isOnline]);
  const { waiting, refused } = of(texts);
  return { waiting: isWaiting || !isOnline ? waiting : 0, refused };
}

/** Sends the steps that wait, and asks again until the service has answered. Returns those that wait. */
function useSendingSteps(mayBeSent: boolean) {
  const steps = useWaitingSteps();
  const isToSend = useIsStepToSend() && mayBeSent;
  const send = () => sendSteps().catch(() => undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, and then whenever the service answers again
  useEffect(() => {
    if (isToSend) void send();
  }, [isToSend]);
  useAgain(isToSend ? send : undefined);
  return steps;
}

/**
 * Sends the files that wait, and asks again until the service has answered.
 *
 * @returns how many wait, once it is known that they have to, and how many somebody has to decide on
 */
function useSendingFiles(owner: string | undefined, mayBeSent: boolean): Counts["file"] {
  const files = useFilesHere().filter(({ account }) => account === owner);
  const isOnline = useOnline();
  const [isWaiting, setWaiting] = useState(false);
  const toDo = files.filter(isToDo).map(({ key, id, to }) => [key, id, to.document].join(":"));
  const send = () =>
    import("../features/uploads/send-files.ts")
      .then(({ sendFiles }) => sendFiles())
      .then(
        () => setWaiting(false),
        () => setWaiting(true),
      );
  const wanted = toDo.join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is kept belongs to an account
  useEffect(() => void readFiles(), [owner]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is something else to do
  useEffect(() => {
    if (mayBeSent && isOnline && wanted) void send();
  }, [mayBeSent, isOnline, wanted]);
  useAgain(isWaiting && mayBeSent && wanted ? send : undefined);
  const { waiting, refused } = of(files.filter(({ id }) => id === undefined));
  return { waiting: isWaiting || !isOnline ? waiting : 0, refused };
}

/** What has not arrived yet: the words for it, the way to its list, and the list. */
export function useWaiting() {
  const me = useMe();
  const isCopy = useIsCopy();
  const captures = useOutbox();
  const changes = useWaitingChanges();
  const unanswered = useUnanswered();
  const steps = useSendingSteps(me !== undefined && !isCopy);
  const file = useSendingFiles(me?.id, !isCopy);
  const [isOpen, setOpen] = useState(false);
  // Until the service has answered, nobody knows whether the session still is this account's.
  useEffect(() => {
    if (me && !isCopy) void sendWaiting();
  }, [me, isCopy]);
  useEffect(() => onOtherTab(() => void refreshDocuments()), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is kept belongs to an account
  useEffect(() => {
    void readChanges();
    void readSteps();
  }, [me?.id]);
  const text = useWritten(me?.id, !isCopy);
  useAgain(me && !isCopy && captures.some(({ refused }) => !refused) ? sendWaiting : undefined);
  const all = [...unanswered.map(() => ({})), ...steps, ...stepsOf(changes)];
  const words = wordsFor({ capture: of(captures), file, change: of(all), text });
  return {
    words,
    way: (
      <Button kind="quiet" onPress={() => setOpen(true)}>
        Show
      </Button>
    ),
    list: (
      <Dialog title="Not saved yet" isOpen={isOpen && words !== ""} onClose={() => setOpen(false)}>
        <Suspense>
          <WaitingList owner={me?.id ?? ""} hasTexts={text.waiting > 0} onClose={() => setOpen(false)} />
        </Suspense>
      </Dialog>
    ),
  };
}
