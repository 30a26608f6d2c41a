import { type KeyboardEvent, lazy, type RefObject, Suspense, useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { pathOf } from "../../../../src/contract/paths.ts";
import { shortInstant } from "../../kit/dates.ts";
import { Plus } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { useTimezone, useToday } from "../../kit/time.tsx";
import { useDraft } from "../../state/drafts.ts";
import { capture, discard } from "../../state/outbox.ts";
import { refreshMemories } from "../../state/queries.ts";
import { begin } from "../../state/toasts.ts";
import { takeTyped } from "../../state/typing-ahead.ts";
import { undoOf } from "../../state/undo.ts";
import { useSecretQuestion } from "../things/ask-secret.tsx";
import type { Entry } from "../things/read-entry.ts";
import { projectsOf, useSummary } from "../things/summary.ts";
import { NearLimit } from "../usage/near-limit.tsx";
import { Captured } from "./captured.tsx";
import styles from "./quick-entry.module.css";

const MAX_TEXT = 20_000;
const LIMITS = ["records", "bytes"] as const;
const NOT_LOADED =
  "The words could not be read, because a part of the app was not loaded. Reload the page: they stay.";

/** Words that are not read as they would be: as plain words, or as the other of two hours. */
type Chosen = { plain: readonly string[]; others: readonly string[] };
const NOTHING: Chosen = { plain: [], others: [] };

const swapped = (others: readonly string[], source: string) =>
  others.includes(source) ? others.filter((one) => one !== source) : [...others, source];

const loadReader = () => import("../things/read-entry.ts");
const loadUnderstood = () => import("./understood.tsx");
/** Without it nothing is shown; Enter then says why. */
const Understood = lazy(() => loadUnderstood().catch(() => ({ default: () => <></> })));

/** Sends a record and tells what became of it. Returns why it was refused and its key, if it was. */
export async function save(
  { record }: Pick<Entry, "record">,
  text: string,
): Promise<{ key: string; refused: string } | undefined> {
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

/**
 * Does something when the address ends in `?new`, or in `?new=` and words: a link that leads here to write. What has been
 * typed since follows the words, once the field is ready for them.
 */
function useAskedFor(act: (words: string) => void, isReady: boolean): void {
  const [parameters, setParameters] = useSearchParams();
  const words = parameters.get("new");
  useEffect(() => {
    if (words === null || !isReady) return;
    act(words + takeTyped());
    setParameters({}, { replace: true });
  });
}

/**
 * How the words are to be read: on which day, and which of them otherwise than they were.
 *
 * @param from the day on which it is due unless they name another
 */
export function useReading(from?: string) {
  const today = useToday();
  const timezone = useTimezone();
  const projects = projectsOf(useSummary().data);
  const [chosen, setChosen] = useState<Chosen>(NOTHING);
  const now = shortInstant(new Date().toISOString(), timezone, today);
  return {
    reading: { today, now, ...(from && { from }), projects, ...chosen },
    choose: setChosen,
    toPlain: (source: string) => setChosen({ ...chosen, plain: [...chosen.plain, source] }),
    toOther: (source: string) => setChosen({ ...chosen, others: swapped(chosen.others, source) }),
  };
}

const Refusal = ({ problem }: { problem: string | undefined }) =>
  problem && (
    <p className={styles.problem} role="alert">
      {problem}
    </p>
  );

const Hint = ({ isShown }: { isShown: boolean }) => (
  <p id="quick-entry-hint" className={isShown ? styles.hint : "visually-hidden"}>
    Begin with “decision:” or “blocker:”, say when (“Friday at 5”, “every Monday”), a #tag, a +project, @work
    or @personal.
    <span className={styles.byKeys}> Shift+Enter adds details.</span>
  </p>
);

/** What is in the field, and what becomes of it. */
function useEntry(field: RefObject<HTMLTextAreaElement | null>) {
  const [draft, setDraft, isRead] = useDraft<string>("quick-entry");
  const { reading, choose, toPlain, toOther } = useReading();
  const [problem, setProblem] = useState<string>();
  const { mayGo, question, forget } = useSecretQuestion();
  const text = draft ?? "";
  const latest = useRef(text);
  latest.current = text;
  useShortcuts({ n: () => field.current?.focus() });
  // What is typed without a network must be read without one, too.
  useEffect(() => void Promise.allSettled([loadReader(), loadUnderstood()]), []);
  const write = (next: string) => {
    setDraft(next || undefined);
    setProblem(undefined);
    forget();
    if (!next) choose(NOTHING);
  };
  useAskedFor((words) => {
    // What was kept stays, and what is written now follows it.
    const next = (/\S$/.test(text) ? `${text} ` : text) + words;
    if (next !== text) write(next);
    if (!field.current) return;
    // A key may come before it is drawn.
    field.current.value = next;
    field.current.setSelectionRange(next.length, next.length);
    field.current.focus();
  }, isRead);
  /** Back into the field, unless something else is in it by now: then it stays among what is not saved yet. */
  const putBack = async ({ key, refused }: { key: string; refused: string }) => {
    if (latest.current) return;
    setDraft(text);
    choose({ plain: reading.plain, others: reading.others });
    setProblem(refused);
    await discard(key);
  };
  const submit = async () => {
    const reader = await loadReader().catch(() => undefined);
    if (!(await mayGo(text))) return;
    // Enter may have been pressed twice while the reader was loaded.
    if (latest.current !== text) return;
    if (!reader) return setProblem(NOT_LOADED);
    const entry = reader.readEntry(text, reading);
    if (!entry.record.topic) return;
    latest.current = "";
    write("");
    field.current?.focus();
    const failed = await save(entry, text);
    if (failed) await putBack(failed);
  };
  const rest = (left: string) => {
    write(left);
    field.current?.focus();
  };
  return {
    ...{ text, reading, problem, write, submit },
    toPlain: (source: string) => {
      toPlain(source);
      field.current?.focus();
    },
    toOther: (source: string) => {
      toOther(source);
      field.current?.focus();
    },
    question: question(rest, () => void submit()),
  };
}

/** The field, and what is understood of what is in it. */
function EntryField() {
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, reading, problem, question, toPlain, toOther, write, submit } = useEntry(field);
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
      <Refusal problem={problem} />
      {question}
      {text.trim() && !problem && <NearLimit of={LIMITS} />}
      {text.trim() && (
        <Suspense>
          <Understood
            text={text}
            reading={reading}
            onPlain={toPlain}
            onOther={toOther}
            onSave={() => void submit()}
          />
        </Suspense>
      )}
      <Hint isShown={text !== ""} />
    </section>
  );
}

/** Takes a record in one line; `n` comes here from everywhere on the screen. Below it is what has not arrived yet. */
export const QuickEntry = () => (
  <>
    <EntryField />
    <Captured />
  </>
);
