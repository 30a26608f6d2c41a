import { describeReminder } from "../../../../src/contract/reminder-text.ts";
import { parseStoredRule } from "../../../../src/contract/repeat/rule.ts";
import { ruleText } from "../../../../src/contract/repeat/rule-text.ts";
import { Button } from "../../kit/button.tsx";
import { fullDay, relativeDay, shortDay } from "../../kit/dates.ts";
import { X } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { capitalized } from "../../kit/text.ts";
import { TYPE_NAMES } from "../things/names.ts";
import { type EntryContext, type EntryPart, type ParsedEntry, readEntry } from "../things/read-entry.ts";
import styles from "./quick-entry.module.css";

const dueWords = (day: string, today: string) => `due ${shortDay(day, today)}, ${relativeDay(day, today)}`;

function partLabel(
  { kind, value }: EntryPart,
  { record }: Pick<ParsedEntry, "record">,
  today: string,
): string {
  switch (kind) {
    case "due_date":
      return dueWords(value, today);
    case "due_time":
      return `at ${value}`;
    case "repeat":
      return ruleText(parseStoredRule(value), record.repeat_from);
    case "remind":
      return `reminder ${describeReminder({ before: value })}`;
    case "tag":
      return `#${value}`;
    case "project":
      return `Project ${value}`;
    default:
      return capitalized(value);
  }
}

type ChipProps = {
  part: EntryPart;
  words: string;
  other: string | undefined;
  onRemove: () => void;
  onOther: () => void;
};

const Chip = ({ part, words, other, onRemove, onOther }: ChipProps) => (
  <li>
    <button
      type="button"
      className={styles.chip}
      title={part.kind === "due_date" ? fullDay(part.value) : undefined}
      aria-label={`${words}: keep “${part.source}” as plain text`}
      onClick={onRemove}
    >
      {words} <X />
    </button>
    {other && (
      <button
        type="button"
        className={styles.other}
        aria-label={`Read “${part.source}” as ${other}`}
        onClick={onOther}
      >
        or {other}
      </button>
    )}
  </li>
);

/** What follows from the text without being written in it: the type, the first day of a series, a default time. */
function ImpliedParts({ entry, today }: { entry: ParsedEntry; today: string }) {
  const { record, parts } = entry;
  const isWritten = (kind: EntryPart["kind"]) => parts.some((part) => part.kind === kind);
  const implied = [
    !isWritten("memory_type") && TYPE_NAMES[record.memory_type],
    record.due_date && !isWritten("due_date") && dueWords(record.due_date, today),
    record.due_time && !isWritten("due_time") && `at ${record.due_time}`,
  ];
  return implied.map(
    (words) =>
      words && (
        <li key={words} className={styles.given}>
          {words}
        </li>
      ),
  );
}

type PillsProps = {
  entry: ParsedEntry;
  today: string;
  onPlain: (source: string) => void;
  onOther: (source: string) => void;
};

type OfferProps = { offer: NonNullable<ParsedEntry["offer"]>; today: string; onTake: () => void };

const Offer = ({ offer: { value, source }, today, onTake }: OfferProps) => (
  <li>
    <button
      type="button"
      className={styles.other}
      title={fullDay(value)}
      aria-label={`Set “${source}” as the due date: ${dueWords(value, today)}`}
      onClick={onTake}
    >
      {dueWords(value, today)}?
    </button>
  </li>
);

const otherReading = ({ kind, other }: EntryPart, today: string) =>
  other && kind === "due_date" ? shortDay(other, today) : other;

/** The recognized parts, each with a way to correct it, and a past day as a suggestion. */
export const RecognizedParts = ({ entry: { offer, ...entry }, today, onPlain, onOther }: PillsProps) => (
  <>
    {entry.parts.map((part) => (
      <Chip
        key={`${part.kind} ${part.value} ${part.source}`}
        part={part}
        words={partLabel(part, entry, today)}
        other={otherReading(part, today)}
        onRemove={() => onPlain(part.source)}
        onOther={() => onOther(part.source)}
      />
    ))}
    {offer && <Offer offer={offer} today={today} onTake={() => onOther(offer.source)} />}
  </>
);

export const UnreadNote = ({ words }: { words: string | undefined }) =>
  words && (
    <p className={styles.note} role="note">
      It’s not clear how “{words}” repeats, so it stays in the title. Try “every other Friday”, “every first
      Monday” or “on the 1st and 15th”.
    </p>
  );

type UnderstoodProps = Omit<PillsProps, "entry" | "today"> & {
  text: string;
  reading: EntryContext;
  onSave: () => void;
  /** Begins the line of the details. A hardware keyboard has Shift+Enter for it. */
  onDetails: () => void;
};

/** How the text is read, before it is saved. */
export default function EntryPreview({
  text,
  reading,
  onPlain,
  onOther,
  onSave,
  onDetails,
}: UnderstoodProps) {
  const { today } = reading;
  const entry = readEntry(text, reading);
  const { record, unread } = entry;
  return (
    <div className={styles.understood}>
      <p className={styles.topic}>
        {record.topic || <span className={styles.missing}>Describe it in a few words.</span>}
      </p>
      <UnreadNote words={unread} />
      <div className={styles.end}>
        <ul className={styles.chips} aria-label="Understood as">
          <ImpliedParts entry={entry} today={today} />
          <RecognizedParts {...{ entry, today, onPlain, onOther }} />
        </ul>
        {!text.includes("\n") && (
          <span className={styles.byTouch}>
            <Button kind="quiet" onPress={onDetails}>
              Add details
            </Button>
          </span>
        )}
        <Button kind="primary" onPress={onSave} isDisabled={!record.topic}>
          Save <Key>↵</Key>
        </Button>
      </div>
    </div>
  );
}
