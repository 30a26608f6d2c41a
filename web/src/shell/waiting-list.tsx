import type { ReactNode } from "react";
import { Link } from "wouter";
import { pathOf } from "../../../src/contract/paths.ts";
import { discardText } from "../features/document/discard-text.ts";
import { namesOf } from "../features/things/document-actions.ts";
import { sendChanges, tryAgain, withdraw } from "../features/things/send-changes.ts";
import { cancelFile, sendFileAgain } from "../features/uploads/progress.ts";
import { sendFiles } from "../features/uploads/send-files.ts";
import { Button } from "../kit/button.tsx";
import { Actions } from "../kit/dialog.tsx";
import { titleText } from "../kit/title-text.ts";
import { askNow } from "../state/again.ts";
import { addressOfDraft, type Kept, sendDraftAgain, useKeptDrafts } from "../state/document-drafts.ts";
import { saveBytes } from "../state/download.ts";
import { type Capture, discard, sendWaiting, useOutbox } from "../state/outbox.ts";
import { stopAll, useUnanswered } from "../state/unanswered.ts";
import { type Change, keepChanges, useWaitingChanges, type WaitingChange } from "../state/waiting-changes.ts";
import { useWaitingFiles, type WaitingFile } from "../state/waiting-files.ts";
import { sendSteps, useWaitingSteps, withdrawStep } from "../state/waiting-steps.ts";
import styles from "./waiting.module.css";

type LineProps = {
  text: string;
  /** Why the server rejected it. */
  refused?: string | undefined;
  href?: string | undefined;
  onOpen: () => void;
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

const WORDS: {
  [Kind in Change["kind"]]: (names: string, change: Extract<Change, { kind: Kind }>) => string;
} = {
  rename: (names, { title }) => `Rename ${names} to “${titleText(title)}”`,
  move: (names, { folder }) => `Move ${names} to ${folder}`,
  tag: (names, { tag }) => `Tag ${names} ${tag}`,
  untag: (names, { tag }) => `Remove ${tag} from ${names}`,
  trash: (names) => `Move ${names} to the trash`,
  restore: (names) => `Restore ${names}`,
};

function wordsOf({ change, documents }: WaitingChange): string {
  const words = WORDS[change.kind] as (names: string, of: Change) => string;
  return words(namesOf(documents), change);
}

function textOf({ title, place: { id } }: Kept): string {
  const name = title.trim() && `“${titleText(title)}”`;
  return id === "new"
    ? `New document ${name || "without a title"}`
    : `Edits to ${name || "an untitled document"}`;
}

type TextsProps = { drafts: readonly Kept[]; onOpen: () => void };

const Texts = ({ drafts, onOpen }: TextsProps) =>
  drafts.map((draft) => (
    <Line
      key={`${draft.place.id}:${draft.place.writer}`}
      text={textOf(draft)}
      refused={draft.refused}
      href={addressOfDraft(draft.place)}
      onOpen={onOpen}
      onDiscard={() => void discardText(draft)}
    >
      {draft.refused && (
        <Button aria-label={`Try again: ${textOf(draft)}`} onPress={() => void sendDraftAgain(draft)}>
          Try again
        </Button>
      )}
    </Line>
  ));

/** The only copy of the bytes: they can be saved before they are discarded. */
const Files = ({ files, onOpen }: { files: readonly WaitingFile[]; onOpen: () => void }) =>
  files.map((file) => (
    <Line
      key={file.key}
      text={`File ${file.name}`}
      refused={file.refused}
      onOpen={onOpen}
      onDiscard={() => void cancelFile(file)}
    >
      {file.refused && (
        <>
          <Button aria-label={`Save ${file.name}`} onPress={() => saveBytes(file.bytes, file.name)}>
            Save
          </Button>
          <Button aria-label={`Try again: ${file.name}`} onPress={() => void sendFileAgain(file)}>
            Try again
          </Button>
        </>
      )}
    </Line>
  ));

function Unanswered({ onOpen }: { onOpen: () => void }) {
  const { length } = useUnanswered();
  if (length === 0) return null;
  return (
    <Line
      text={`${length === 1 ? "A change is" : `${length} changes are`} still being sent. Keep this tab open`}
      onOpen={onOpen}
      way="Stop"
      onDiscard={stopAll}
    />
  );
}

type Props = { owner: string; hasTexts: boolean; onClose: () => void };

/** Groups the changes of one user action into a line. Rejected changes get a line each. */
function stepsOf(changes: readonly WaitingChange[]): WaitingChange[][] {
  const steps = new Map<string, WaitingChange[]>();
  for (const one of changes) {
    const name = one.refused ? one.key : one.step;
    steps.set(name, [...(steps.get(name) ?? []), one]);
  }
  return [...steps.values()];
}

/** All changes that are stored in this browser until the server has them, with actions for each. */
export default function WaitingList({ owner, hasTexts, onClose }: Props) {
  const captures: readonly Capture[] = useOutbox();
  const changes = useWaitingChanges();
  const steps = useWaitingSteps();
  const files = useWaitingFiles();
  const drafts = useKeptDrafts(owner);
  const sendNow = () => {
    askNow();
    void sendWaiting();
    void sendSteps().catch(() => undefined);
    void sendFiles().catch(() => undefined);
    void sendChanges().catch(() => undefined);
  };
  const addressOf = ({ documents: [only, ...more] }: WaitingChange) =>
    only && more.length === 0 ? pathOf("document", only.id) : undefined;
  const isToSend = hasTexts || [...captures, ...files, ...steps, ...changes].some(({ refused }) => !refused);
  // Rejected changes exist only in this browser.
  const take = (step: WaitingChange[]) => (step[0]?.refused ? keepChanges([], step) : withdraw(step));
  return (
    <>
      <p>
        These changes are saved in this browser and will sync in this order. Changes that the server rejected
        need your decision.
      </p>
      <ul className={styles.lines}>
        {captures.map(({ key, text, refused }) => (
          <Line
            key={key}
            text={text}
            refused={refused}
            onOpen={onClose}
            onDiscard={() => void discard(key)}
          />
        ))}
        <Files files={files} onOpen={onClose} />
        <Texts drafts={drafts.filter(({ refused }) => hasTexts || refused)} onOpen={onClose} />
        <Unanswered onOpen={onClose} />
        {steps.map(({ key, text, refused }) => (
          <Line
            key={key}
            text={text}
            refused={refused}
            onOpen={onClose}
            onDiscard={() => void withdrawStep(key)}
          />
        ))}
        {stepsOf(changes).map((step) => {
          const [first] = step as [WaitingChange];
          const whole = { ...first, documents: step.flatMap(({ documents }) => documents) };
          return (
            <Line
              key={first.key}
              text={wordsOf(whole)}
              refused={first.refused}
              href={addressOf(whole)}
              onOpen={onClose}
              onDiscard={() => void take(step)}
            >
              {first.refused && (
                <Button aria-label={`Apply anyway: ${wordsOf(whole)}`} onPress={() => void tryAgain(first)}>
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
