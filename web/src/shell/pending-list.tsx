import type { ReactNode } from "react";
import { Link } from "wouter";
import { screenPath } from "../../../src/contract/paths.ts";
import { discardDraft } from "../features/document/discard-draft.ts";
import { documentNames } from "../features/things/document-actions.ts";
import { retryChange, sendChanges, withdrawChanges } from "../features/things/send-changes.ts";
import { cancelFile, retryFile } from "../features/uploads/progress.ts";
import { sendFiles } from "../features/uploads/send-files.ts";
import { Button } from "../kit/button.tsx";
import { Actions } from "../kit/dialog.tsx";
import { titleText } from "../kit/title-text.ts";
import { captures, discardCapture, sendCaptures } from "../state/captures.ts";
import { draftUrl, type StoredDraft, useStoredDrafts } from "../state/document-drafts.ts";
import { saveBytes } from "../state/download.ts";
import { useWaiting } from "../state/outbox.ts";
import { type DocumentChange, type PendingChange, pendingChanges } from "../state/pending-changes.ts";
import { type PendingFile, useWaitingFiles } from "../state/pending-files.ts";
import { pendingSteps } from "../state/pending-steps.ts";
import { retryNow } from "../state/retry-loop.ts";
import { sendPendingSteps, withdrawStep } from "../state/send-steps.ts";
import { retryDraft } from "../state/shown-drafts.ts";
import { stopAllRetries, useUnanswered } from "../state/unanswered.ts";
import styles from "./waiting.module.css";

type LineProps = {
  text: string;
  /** Why the server rejected it. */
  refused?: string | undefined;
  href?: string | undefined;
  onOpen?: () => void;
  onDiscard: () => void;
  /** Label of the discard button. */
  way?: string;
  children?: ReactNode;
};

const Line = ({ text, refused, href, onOpen, onDiscard, way = "Discard", children }: LineProps) => (
  <li className={styles.line}>
    <span>
      {href ? (
        <Link href={href} onClick={onOpen}>
          {text}
        </Link>
      ) : (
        text
      )}
      {refused && <span className={styles.refused}>{refused}</span>}
    </span>
    <span className={styles.ways}>
      {children}
      <Button onPress={onDiscard} aria-label={`${way} ${text}`}>
        {way}
      </Button>
    </span>
  </li>
);

const CHANGE_TEXTS: {
  [Kind in DocumentChange["kind"]]: (
    names: string,
    change: Extract<DocumentChange, { kind: Kind }>,
  ) => string;
} = {
  rename: (names, { title }) => `Rename ${names} to “${titleText(title)}”`,
  move: (names, { folder }) => `Move ${names} to ${folder}`,
  tag: (names, { tag }) => `Tag ${names} ${tag}`,
  untag: (names, { tag }) => `Remove ${tag} from ${names}`,
  trash: (names) => `Move ${names} to the trash`,
  restore: (names) => `Restore ${names}`,
};

function changeText({ change, documents }: PendingChange): string {
  const words = CHANGE_TEXTS[change.kind] as (names: string, of: DocumentChange) => string;
  return words(documentNames(documents), change);
}

function draftText({ title, place: { id } }: StoredDraft): string {
  const name = title.trim() && `“${titleText(title)}”`;
  return id === "new"
    ? `New document ${name || "without a title"}`
    : `Edits to ${name || "an untitled document"}`;
}

type TextsProps = { drafts: readonly StoredDraft[]; onOpen: () => void };

const DraftLines = ({ drafts, onOpen }: TextsProps) =>
  drafts.map((draft) => (
    <Line
      key={`${draft.place.id}:${draft.place.writer}`}
      text={draftText(draft)}
      refused={draft.refused}
      href={draftUrl(draft.place)}
      onOpen={onOpen}
      onDiscard={() => void discardDraft(draft)}
    >
      {draft.refused && (
        <Button aria-label={`Try again: ${draftText(draft)}`} onPress={() => void retryDraft(draft)}>
          Try again
        </Button>
      )}
    </Line>
  ));

/** The only copy of the bytes: they can be saved before they are discarded. */
const FileLines = ({ files }: { files: readonly PendingFile[] }) =>
  files.map((file) => (
    <Line
      key={file.key}
      text={`File ${file.name}`}
      refused={file.refused}
      onDiscard={() => void cancelFile(file)}
    >
      {file.refused && (
        <>
          <Button aria-label={`Save ${file.name}`} onPress={() => saveBytes(file.bytes, file.name)}>
            Save
          </Button>
          <Button aria-label={`Try again: ${file.name}`} onPress={() => void retryFile(file)}>
            Try again
          </Button>
        </>
      )}
    </Line>
  ));

function UnansweredLine() {
  const { length } = useUnanswered();
  if (length === 0) return null;
  return (
    <Line
      text={`${length === 1 ? "A change is" : `${length} changes are`} still being sent. Keep this tab open`}
      way="Stop"
      onDiscard={stopAllRetries}
    />
  );
}

type Props = { owner: string; hasTexts: boolean; onClose: () => void };

/** Groups the changes of one user action into a line. Rejected changes get a line each. */
const groupByStep = (changes: readonly PendingChange[]): PendingChange[][] => [
  ...Map.groupBy(changes, ({ refused, key, step }) => (refused ? key : step)).values(),
];

/** All changes that are stored in this browser until the server has them, with actions for each. */
export default function WaitingList({ owner, hasTexts, onClose }: Props) {
  const captured = useWaiting(captures);
  const changes = useWaiting(pendingChanges);
  const steps = useWaiting(pendingSteps);
  const files = useWaitingFiles();
  const drafts = useStoredDrafts(owner);
  const sendNow = () => {
    retryNow();
    for (const send of [sendCaptures, sendPendingSteps, sendFiles, sendChanges])
      void send().catch(() => undefined);
  };
  const changeUrl = ({ documents: [only, ...more] }: PendingChange) =>
    only && more.length === 0 ? screenPath("document", only.id) : undefined;
  const isToSend = hasTexts || [...captured, ...files, ...steps, ...changes].some(({ refused }) => !refused);
  // Rejected changes exist only in this browser.
  const discardChanges = (step: PendingChange[]) =>
    step[0]?.refused ? pendingChanges.write([], step) : withdrawChanges(step);
  return (
    <>
      <p>
        These changes are saved in this browser and will sync when the server answers. Changes that it
        rejected need your decision.
      </p>
      <ul className={styles.lines}>
        {captured.map((capture) => (
          <Line
            key={capture.key}
            text={capture.text}
            refused={capture.refused}
            onDiscard={() => void discardCapture(capture)}
          />
        ))}
        <FileLines files={files} />
        <DraftLines drafts={drafts.filter(({ refused }) => hasTexts || refused)} onOpen={onClose} />
        <UnansweredLine />
        {steps.map(({ key, text, refused }) => (
          <Line key={key} text={text} refused={refused} onDiscard={() => void withdrawStep(key)} />
        ))}
        {groupByStep(changes).map((step) => {
          const [first] = step as [PendingChange];
          const whole = { ...first, documents: step.flatMap(({ documents }) => documents) };
          return (
            <Line
              key={first.key}
              text={changeText(whole)}
              refused={first.refused}
              href={changeUrl(whole)}
              onOpen={onClose}
              onDiscard={() => void discardChanges(step)}
            >
              {first.refused && (
                <Button
                  aria-label={`Apply anyway: ${changeText(whole)}`}
                  onPress={() => void retryChange(first)}
                >
                  Apply anyway
                </Button>
              )}
            </Line>
          );
        })}
      </ul>
      <Actions>
        <Button onPress={onClose}>Close</Button>
        {isToSend && (
          <Button kind="primary" onPress={sendNow}>
            Sync now
          </Button>
        )}
      </Actions>
    </>
  );
}
