import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { pathOf } from "../../../../src/contract/paths.ts";
import { Button } from "../../kit/button.tsx";
import { fullDay, relativeDay, shortDay } from "../../kit/dates.ts";
import { Plus, X } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { useToday } from "../../kit/time.tsx";
import { useDraft } from "../../state/drafts.ts";
import { capture, discard } from "../../state/outbox.ts";
import { refreshMemories } from "../../state/queries.ts";
import { begin } from "../../state/toasts.ts";
import { undoOf } from "../../state/undo.ts";
import { TYPE_NAMES } from "../things/names.ts";
import { type Entry, type Part, readEntry } from "../things/read-entry.ts";
import { projectsOf, useSummary } from "../things/summary.ts";
import { NearLimit } from "../usage/near-limit.tsx";
import styles from "./quick-entry.module.css";

const MAX_TEXT = 20_000;
const LIMITS = ["records", "bytes"] as const;

function wordsOf({ kind, value }: Part, today: string): string {
  switch (kind) {
    case "due_date":
      return `due ${shortDay(value, today)}, ${relativeDay(value, today)}`;
    case "memory_type":
      return value.charAt(0).toUpperCase() + value.slice(1);
    case "tag":
      return `#${value}`;
    case "project":
      return `Project ${value}`;
    default:
      return value.charAt(0).toUpperCase() + value.slice(1);
  }
}

const Chip = ({ part, today, onRemove }: { part: Part; today: string; onRemove: () => void }) => (
  <li>
    <button
      type="button"
      className={styles.chip}
      title={part.kind === "due_date" ? fullDay(part.value) : undefined}
      aria-label={`${wordsOf(part, today)}: take “${part.source}” as plain words`}
      onClick={onRemove}
    >
      {wordsOf(part, today)} <X aria-hidden="true" />
    </button>
  </li>
);

type UnderstoodProps = { entry: Entry; today: string; onPlain: (source: string) => void; onSave: () => void };

/** What was understood, before it is saved. */
function Understood({ entry, today, onPlain, onSave }: UnderstoodProps) {
  const { record, parts, repeats } = entry;
  const isTypeSaid = parts.some(({ kind }) => kind === "memory_type");
  return (
    <div className={styles.understood}>
      <p className={styles.topic}>
        {record.topic || <span className={styles.missing}>Say in a few words what it is.</span>}
      </p>
      {repeats && (
        <p className={styles.note} role="note">
          Records do not repeat yet: “{repeats}” stays as words.
        </p>
      )}
      <div className={styles.end}>
        <ul className={styles.chips} aria-label="Understood as">
          {!isTypeSaid && <li className={styles.given}>{TYPE_NAMES[record.memory_type]}</li>}
          {parts.map((part) => (
            <Chip
              key={`${part.kind} ${part.source}`}
              part={part}
              today={today}
              onRemove={() => onPlain(part.source)}
            />
          ))}
        </ul>
        <Button kind="primary" onPress={onSave} isDisabled={!record.topic}>
          Save <Key>↵</Key>
        </Button>
      </div>
    </div>
  );
}

/** Sends a record and tells what became of it. Returns why it was refused and its key, if it was. */
async function save({ record }: Entry, text: string): Promise<{ key: string; refused: string } | undefined> {
  const step = begin();
  const outcome = await capture(record, text);
  if ("memory" in outcome) {
    const { id, topic, due_date } = outcome.memory;
    // Today shows what has a date: the others are to be found, too.
    const open = due_date ? {} : { open: pathOf("record", id) };
    step.end({ text: `Saved “${topic}”`, ...open, ...undoOf(outcome.changes) });
    void refreshMemories();
    return undefined;
  }
  const { key, refused } = outcome;
  if (refused !== undefined) {
    step.end();
    return { key, refused };
  }
  step.end({ text: "Kept in this browser: it is saved when the service answers again" });
  return undefined;
}

/** Does something when the address ends in `?new`, or in `?new=` and words: a link that leads here to write. */
function useAskedFor(act: (words: string) => void): void {
  const [parameters, setParameters] = useSearchParams();
  const words = parameters.get("new");
  useEffect(() => {
    if (words === null) return;
    act(words);
    setParameters({}, { replace: true });
  });
}

/** Takes a record in one line; `n` comes here from everywhere on the screen. */
export function QuickEntry() {
  const today = useToday();
  const summary = useSummary();
  const field = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useDraft<string>("quick-entry");
  const [plain, setPlain] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string>();
  const text = draft ?? "";
  const latest = useRef(text);
  latest.current = text;
  useShortcuts({ n: () => field.current?.focus() });
  const entry = readEntry(text, { today, projects: projectsOf(summary.data), plain });
  const write = (next: string) => {
    setDraft(next || undefined);
    setProblem(undefined);
    if (!next) setPlain([]);
  };
  useAskedFor((words) => {
    if (words) write(text ? `${text} ${words}` : words);
    field.current?.focus();
  });
  const submit = async () => {
    if (!entry.record.topic) return;
    write("");
    field.current?.focus();
    const failed = await save(entry, text);
    if (!failed) return;
    // Back into the field, unless something else is in it by now: then it stays among what is not saved yet.
    if (latest.current) return;
    setDraft(text);
    setPlain(plain);
    setProblem(failed.refused);
    await discard(failed.key);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape") field.current?.blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  return (
    <section className={styles.entry} aria-label="Quick entry">
      <div className={styles.line}>
        <Plus aria-hidden="true" />
        <textarea
          ref={field}
          rows={1}
          className={styles.field}
          aria-label="New record"
          aria-describedby="quick-entry-hint"
          aria-invalid={problem !== undefined}
          placeholder="Call Grace by Friday #apollo"
          maxLength={MAX_TEXT}
          value={text}
          onChange={({ target }) => write(target.value)}
          onKeyDown={press}
        />
        {!text && <Key className={styles.key}>n</Key>}
      </div>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      {text.trim() && !problem && <NearLimit of={LIMITS} />}
      {text.trim() && (
        <Understood
          entry={entry}
          today={today}
          onPlain={(source) => setPlain([...plain, source])}
          onSave={() => void submit()}
        />
      )}
      <p id="quick-entry-hint" className={text ? styles.hint : "visually-hidden"}>
        Begin with “decision:” or “blocker:”, name a day, a #tag, a +project, @work or @personal. Shift+Enter
        adds details.
      </p>
    </section>
  );
}
