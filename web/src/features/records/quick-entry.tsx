import { type KeyboardEvent, type RefObject, Suspense, useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { screenPath } from "../../../../src/contract/paths.ts";
import { shortInstant } from "../../kit/dates.ts";
import { Plus } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { lazyPart } from "../../kit/lazy-part.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { useTimezone, useToday } from "../../kit/time.tsx";
import { captureRecord, captures, discardCapture } from "../../state/captures.ts";
import { useDraft } from "../../state/drafts.ts";
import { firstScreenLoaded } from "../../state/first-screen.ts";
import { refreshMemories } from "../../state/queries.ts";
import { beginToast, PART_NOT_LOADED, type ToastGroup, toast } from "../../state/toasts.ts";
import { takeTypedKeys } from "../../state/typing-ahead.ts";
import { undoOffer } from "../../state/undo.ts";
import { useSecretQuestion } from "../things/ask-secret.tsx";
import type { ParsedEntry } from "../things/read-entry.ts";
import { projectNames, useSummary } from "../things/summary.ts";
import styles from "./quick-entry.module.css";
import { UnsentRecords } from "./unsent-records.tsx";

const MAX_TEXT = 20_000;
const LIMITS = ["records", "bytes"] as const;

/** How the user corrected the reading: `plain` words are not interpreted, `others` take the alternative reading. */
type Corrections = { plain: readonly string[]; others: readonly string[] };
const NO_CORRECTIONS: Corrections = { plain: [], others: [] };

const toggled = (others: readonly string[], source: string) =>
  others.includes(source) ? others.filter((one) => one !== source) : [...others, source];

const loadReader = () => import("../things/read-entry.ts");
const loadUnderstood = () => import("./entry-preview.tsx");
const loadNearLimit = () => import("../usage/near-limit.tsx");
const NearLimit = lazyPart(loadNearLimit);
/** If it cannot be loaded, nothing is shown; Enter then says why. */
const Understood = lazyPart(loadUnderstood);

const SAVED: ToastGroup = {
  name: "saved",
  count: 1,
  text: (count) => `Saved ${count} records`,
  open: `${screenPath("records")}?sort=created_at`,
};

const LATER = " on this device. Will sync later.";
const KEPT = { ...SAVED, name: LATER, text: (count: number) => SAVED.text(count) + LATER };

/** Saves a record and shows a toast. Returns the reason and the key of a refused record. */
export async function saveEntry(
  { record }: Pick<ParsedEntry, "record">,
  text: string,
): Promise<{ key: string; refused: string } | undefined> {
  const step = beginToast();
  const outcome = await captureRecord(record, text);
  if ("memory" in outcome) {
    const { id, topic } = outcome.memory;
    step.end({
      text: `Saved “${topic}”`,
      open: screenPath("record", id),
      group: SAVED,
      ...undoOffer(outcome.changes),
    });
    void refreshMemories();
    return undefined;
  }
  const { key, refused } = outcome;
  if (refused !== undefined) {
    step.end();
    return { key, refused };
  }
  step.end({
    text: `Saved “${record.topic}”${LATER}`,
    group: KEPT,
    undo: () => {
      const capture = captures.find(key);
      if (capture) void discardCapture(capture);
      else toast({ kind: "refused", text: `“${record.topic}” is already synced.` });
    },
  });
  return undefined;
}

/**
 * Handles links that start a record: `?new`, or `?new=` and its text. What was typed while the page loaded is appended
 * once the field is ready.
 */
function useNewParameter(onNew: (words: string) => void, isReady: boolean): void {
  const [parameters, setParameters] = useSearchParams();
  const words = parameters.get("new");
  useEffect(() => {
    if (words === null || !isReady) return;
    onNew(words + takeTypedKeys().text);
    setParameters({}, { replace: true });
  });
}

/**
 * The settings for reading the text, and how to correct the reading.
 *
 * @param from the due date unless the text names another
 */
export function useEntryReading(from?: string) {
  const today = useToday();
  const timezone = useTimezone();
  const projects = projectNames(useSummary().data);
  const [corrections, setCorrections] = useState<Corrections>(NO_CORRECTIONS);
  const now = shortInstant(new Date().toISOString(), timezone, today);
  return {
    reading: { today, now, ...(from && { from }), projects, ...corrections },
    choose: setCorrections,
    toPlain: (source: string) => setCorrections({ ...corrections, plain: [...corrections.plain, source] }),
    toOther: (source: string) =>
      setCorrections({ ...corrections, others: toggled(corrections.others, source) }),
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
    Start with “decision:” or “blocker:”. Add a date (“Friday at 5”, “every Monday”), a #tag, a +project,
    @work or @personal.
    <span className={styles.byKeys}> Press Shift+Enter to add details.</span>
  </p>
);

function useEntry(field: RefObject<HTMLTextAreaElement | null>) {
  const [draft, setDraft, isRead] = useDraft<string>("quick-entry");
  const { reading, choose, toPlain, toOther } = useEntryReading();
  const [problem, setProblem] = useState<string>();
  const { mayGo, question, forget } = useSecretQuestion();
  const text = draft ?? "";
  const latest = useRef(text);
  latest.current = text;
  useShortcuts({ n: () => field.current?.focus() });
  // Loaded ahead, so that text can also be read offline.
  useEffect(() => {
    void firstScreenLoaded.then(() => Promise.allSettled([loadReader(), loadUnderstood(), loadNearLimit()]));
  }, []);
  const write = (next: string) => {
    setDraft(next || undefined);
    setProblem(undefined);
    forget();
    if (!next) choose(NO_CORRECTIONS);
  };
  useNewParameter((words) => {
    // The new text is appended to an existing draft.
    const next = (/\S$/.test(text) ? `${text} ` : text) + words;
    if (next !== text) write(next);
    if (!field.current) return;
    // The next key may be pressed before React renders.
    field.current.value = next;
    field.current.setSelectionRange(next.length, next.length);
    field.current.focus();
  }, isRead);
  /** Restores a refused text, unless the field has other text by now: then it stays in the list of unsent records. */
  const putBack = async ({ key, refused }: { key: string; refused: string }) => {
    if (latest.current) return;
    setDraft(text);
    choose({ plain: reading.plain, others: reading.others });
    setProblem(refused);
    await captures.remove(key);
  };
  const submit = async () => {
    const reader = await loadReader().catch(() => undefined);
    if (!(await mayGo(text))) return;
    // Enter may be pressed twice while the reader loads.
    if (latest.current !== text) return;
    if (!reader) return setProblem(`${PART_NOT_LOADED} Your text is kept.`);
    const entry = reader.readEntry(text, reading);
    if (!entry.record.topic) return;
    latest.current = "";
    write("");
    field.current?.focus();
    const failed = await saveEntry(entry, text);
    if (failed) await putBack(failed);
  };
  const thenFocus = (change: (words: string) => void) => (words: string) => {
    change(words);
    field.current?.focus();
  };
  return {
    text,
    reading,
    problem,
    write,
    submit,
    toPlain: thenFocus(toPlain),
    toOther: thenFocus(toOther),
    question: question(thenFocus(write), () => void submit()),
  };
}

function EntryField() {
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, reading, problem, question, toPlain, toOther, write, submit } = useEntry(field);
  const addDetails = () => {
    write(`${text.trimEnd()}\n`);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") field.current?.blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    // Keyboards of phones have no Shift+Enter: once there are details, Enter begins their next line.
    if (text.includes("\n") && matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    void submit();
  };
  return (
    <section className={styles.entry} aria-label="Quick entry">
      <div className={styles.line}>
        <Plus />
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
          onKeyDown={onKeyDown}
        />
        {!text && <Key className={styles.key}>n</Key>}
      </div>
      <Refusal problem={problem} />
      {question}
      {text.trim() && (
        <Suspense>
          {!problem && <NearLimit of={LIMITS} />}
          <Understood
            text={text}
            reading={reading}
            onPlain={toPlain}
            onOther={toOther}
            onSave={() => void submit()}
            onDetails={addDetails}
          />
        </Suspense>
      )}
      <Hint isShown={text !== ""} />
    </section>
  );
}

/** Creates a record from one line; `n` focuses it. Records that are not sent yet are listed below. */
export const QuickEntry = () => (
  <>
    <EntryField />
    <UnsentRecords />
  </>
);
