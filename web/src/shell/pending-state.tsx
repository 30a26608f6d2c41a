import { useEffect, useRef, useState } from "react";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { lazyComponent } from "../kit/lazy-component.tsx";
import { captures, sendCaptures } from "../state/captures.ts";
import { useShowsCopies } from "../state/copies.ts";
import { type StoredDraft, setDraftsWait, useDraftChanges, waitingDrafts } from "../state/document-drafts.ts";
import { useOnline } from "../state/online.ts";
import { useHasToSend, useWaiting } from "../state/outbox.ts";
import { isStepSending, type PendingChange, pendingChanges } from "../state/pending-changes.ts";
import { isReadyToSend, pendingFiles } from "../state/pending-files.ts";
import { pendingSteps } from "../state/pending-steps.ts";
import { refreshDocuments, refreshMemories, useMe } from "../state/queries.ts";
import { useOnReconnect } from "../state/retry-loop.ts";
import { useUnanswered } from "../state/unanswered.ts";
import { ScreenBoundary } from "./screen-boundary.tsx";

const WaitingList = lazyComponent(() => import("./pending-list.tsx"));

/** How many changes wait for the server, and how many were rejected and wait for the user. */
type Counts = { waiting: number; refused: number };

const countStates = (things: readonly { refused?: string | undefined }[]): Counts => {
  const refused = things.filter((thing) => thing.refused).length;
  return { waiting: things.length - refused, refused };
};

/** Counts the changes of one user action as one. */
const onePerStep = (changes: readonly PendingChange[]) => [
  ...new Map(changes.map((one) => [one.refused ? one.key : one.step, one])).values(),
];

const changeCount = (count: number) => `${count} change${count === 1 ? "" : "s"}`;

/** "4 changes will sync later; 1 change needs your attention" */
function pendingText(counts: readonly Counts[]): string {
  const sum = (name: keyof Counts) => counts.reduce((total, count) => total + count[name], 0);
  const [waiting, refused] = [sum("waiting"), sum("refused")];
  const parts = [
    waiting > 0 && `${changeCount(waiting)} will sync later`,
    refused > 0 && `${changeCount(refused)} ${refused === 1 ? "needs" : "need"} your attention`,
  ];
  return parts.filter(Boolean).join("; ");
}

/** Sends drafts, then changes of documents. Throws ApiError while the server cannot be reached. */
async function sendDraftsAndChanges(account: string): Promise<void> {
  const { sendDrafts } = await import("../features/document/send-drafts.ts");
  const unsaved = await sendDrafts(account);
  const { sendChanges } = await import("../features/things/send-changes.ts");
  await sendChanges({ unsaved });
}

/**
 * Sends waiting drafts and document changes, and retries until the server has answered.
 *
 * @param mayBeSent whether the server has confirmed the account
 * @returns how many drafts wait, once sending has failed or the browser is offline, and how many were rejected
 */
function useSendingDrafts(account: string | undefined, mayBeSent: boolean): Counts {
  const draftChanges = useDraftChanges();
  const changes = pendingChanges.entries.use();
  const shown = useWaiting(pendingChanges);
  const isOnline = useOnline();
  const [isWaiting, setWaiting] = useState(false);
  const [texts, setTexts] = useState<readonly StoredDraft[]>([]);
  /** "yes": sending; "again": more was added while sending. */
  const busy = useRef<"no" | "yes" | "again">("no");
  const latest = useRef(async () => {});
  const send = async () => {
    if (busy.current !== "no") busy.current = "again";
    if (!account || !mayBeSent || busy.current !== "no") return;
    busy.current = "yes";
    const isDone = await sendDraftsAndChanges(account).then(
      () => true,
      () => false,
    );
    const isMore = (busy.current as string) === "again";
    busy.current = "no";
    setWaiting(!isDone);
    if (isDone && isMore) await latest.current();
  };
  const check = async () => {
    if (!account) return;
    const drafts = await waitingDrafts(account);
    setTexts(drafts);
    // Steps that are already being sent are handled by their sender.
    const isToSend = [...drafts, ...changes.filter(({ step }) => !isStepSending(step))].some(
      ({ refused }) => !refused,
    );
    if (!isWaiting && isOnline && isToSend) await send();
  };
  latest.current = check;
  // biome-ignore lint/correctness/useExhaustiveDependencies: checked again after each change
  useEffect(
    () => void latest.current(),
    [account, mayBeSent, isWaiting, draftChanges, changes, shown.length, isOnline],
  );
  useOnReconnect(isWaiting && mayBeSent ? send : undefined);
  useEffect(() => setDraftsWait(isWaiting || !isOnline), [isWaiting, isOnline]);
  const { waiting, refused } = countStates(texts);
  return { waiting: isWaiting || !isOnline ? waiting : 0, refused };
}

const sendQuietly = () => sendCaptures().catch(() => undefined);

/** Sends waiting steps, and retries until the server has answered. Returns those that wait. */
function useSendingSteps(mayBeSent: boolean) {
  const steps = useWaiting(pendingSteps);
  const isToSend = useHasToSend(pendingSteps) && mayBeSent;
  const send = () =>
    import("../state/send-steps.ts")
      .then(({ sendPendingSteps }) => sendPendingSteps())
      .catch(() => undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, and then whenever the server is reachable again
  useEffect(() => {
    if (isToSend) void send();
  }, [isToSend]);
  useOnReconnect(isToSend ? send : undefined);
  return steps;
}

/**
 * Uploads waiting files, and retries until the server has answered.
 *
 * @returns how many wait, once sending has failed or the browser is offline, and how many were rejected
 */
function useSendingFiles(mayBeSent: boolean): Counts {
  const files = pendingFiles.entries.use();
  const isOnline = useOnline();
  const [isWaiting, setWaiting] = useState(false);
  const filesToSend = files.filter(isReadyToSend).map(({ key, id, to }) => [key, id, to.document].join(":"));
  const filesKey = filesToSend.join(" ");
  const send = () =>
    import("../features/uploads/send-files.ts")
      .then(({ sendFiles }) => sendFiles())
      .then(
        () => setWaiting(false),
        () => setWaiting(true),
      );
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the files to send change
  useEffect(() => {
    if (mayBeSent && isOnline && filesKey) void send();
  }, [mayBeSent, isOnline, filesKey]);
  useOnReconnect(isWaiting && mayBeSent && filesKey ? send : undefined);
  const { waiting, refused } = countStates(files.filter(({ id }) => id === undefined));
  return { waiting: isWaiting || !isOnline ? waiting : 0, refused };
}

/** Everything that is not synced: a summary, a button that opens the list, and the list in a dialog. */
export function usePendingState() {
  const me = useMe();
  const isCopy = useShowsCopies();
  const isOnline = useOnline();
  const captured = useWaiting(captures);
  const hasCaptures = useHasToSend(captures);
  const changes = useWaiting(pendingChanges);
  const unanswered = useUnanswered();
  const steps = useSendingSteps(me !== undefined && !isCopy);
  const file = useSendingFiles(me !== undefined && !isCopy);
  const [isOpen, setOpen] = useState(false);
  // Wait for the server to confirm that the session still belongs to this account.
  useEffect(() => {
    if (me && !isCopy && isOnline) void sendQuietly();
  }, [me, isCopy, isOnline]);
  useEffect(() => {
    pendingChanges.onSentElsewhere = () => void refreshDocuments();
    for (const outbox of [captures, pendingSteps])
      outbox.onSentElsewhere = () => void (document.hidden || refreshMemories());
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entries belong to an account
  useEffect(() => {
    for (const outbox of [pendingChanges, pendingSteps, pendingFiles]) void outbox.read();
  }, [me?.id]);
  const text = useSendingDrafts(me?.id, !isCopy);
  useOnReconnect(me && !isCopy && hasCaptures ? sendQuietly : undefined);
  const all = [...unanswered.map(() => ({})), ...steps, ...onePerStep(changes)];
  const words = pendingText([countStates(captured), file, countStates(all), text]);
  // Otherwise the list would open by itself at the next change.
  if (isOpen && words === "") setOpen(false);
  return {
    words,
    way: (
      <Button kind="quiet" onPress={() => setOpen(true)}>
        Show
      </Button>
    ),
    list: (
      <Dialog title="Not synced yet" isOpen={isOpen} onClose={() => setOpen(false)}>
        <ScreenBoundary isPart>
          <WaitingList
            owner={me?.id ?? ""}
            hasTexts={text.waiting > 0}
            onClose={() => setOpen(false)}
            wait={null}
          />
        </ScreenBoundary>
      </Dialog>
    ),
  };
}
