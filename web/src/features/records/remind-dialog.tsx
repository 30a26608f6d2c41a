import { type FormEvent, useId, useRef, useState } from "react";
import type { Reminder } from "../../../../src/contract/reminder-text.ts";
import type { Memory, MemoryChange } from "../../api/memories.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { SubmitOrCancel } from "../../kit/form.tsx";
import { Bell, Plus, X } from "../../kit/icons.tsx";
import { capitalized } from "../../kit/text.ts";
import { useNow } from "../../kit/time.tsx";
import styles from "./plan.module.css";
import { reminderText } from "./version-fields.ts";

const MAX_REMINDERS = 5;
const PRESETS = ["PT0S", "PT10M", "PT1H", "P1D"].map((before) => ({ before }));
/** For records without a due time. */
const DAY_PRESETS = ["PT0S", "P1D", "P2D", "P1W"].map((before) => ({ before }));

const reminderKey = (reminder: Reminder) => ("at" in reminder ? reminder.at : reminder.before);

const reminderLabel = (reminder: Reminder, hasTime: boolean) => capitalized(reminderText(reminder, hasTime));

type ListProps = { reminders: readonly Reminder[]; hasTime: boolean; onRemove: (one: Reminder) => void };

const List = ({ reminders, hasTime, onRemove }: ListProps) =>
  reminders.length === 0 ? (
    <p className={styles.quiet}>No reminders yet.</p>
  ) : (
    <ul className={styles.reminders} aria-label="Reminders">
      {reminders.map((one) => (
        <li key={reminderKey(one)}>
          <Bell /> {reminderLabel(one, hasTime)}
          <button
            type="button"
            aria-label={`Remove: ${reminderLabel(one, hasTime)}`}
            onClick={() => onRemove(one)}
          >
            <X />
          </button>
        </li>
      ))}
    </ul>
  );

type MomentProps = { at: string; now: string; onType: (at: string) => void; onAdd: () => void };

function Moment({ at, now, onType, onAdd }: MomentProps) {
  const id = useId();
  const hasPassed = at !== "" && at <= now;
  return (
    <div>
      <div className={styles.line}>
        <label htmlFor={id}>At</label>
        <input
          id={id}
          type="datetime-local"
          min={now}
          value={at}
          aria-describedby={`${id}-problem`}
          aria-invalid={hasPassed}
          onChange={({ target }) => onType(target.value.slice(0, "2026-12-01T09:00".length))}
        />
        <Button isDisabled={!at || hasPassed} onPress={onAdd}>
          Add
        </Button>
      </div>
      <p id={`${id}-problem`} role="status" className={styles.problem}>
        {hasPassed && "That time has passed."}
      </p>
    </div>
  );
}

type Props = { memory: Memory; onSave: (change: MemoryChange) => void; onClose: () => void };

/** The reminders of a record, and the moment being typed, which is included when saving. */
function useReminders({ remind, due_date, due_time }: Memory) {
  const now = useNow();
  const [reminders, setReminders] = useState<readonly Reminder[]>(remind ?? []);
  const [at, setAt] = useState("");
  const has = (one: Reminder) => reminders.some((other) => reminderKey(other) === reminderKey(one));
  const withOne = (one: Reminder) => (has(one) ? reminders : [...reminders, one]);
  const isFull = reminders.length >= MAX_REMINDERS;
  const presets = due_time ? PRESETS : DAY_PRESETS;
  return {
    now,
    reminders,
    at,
    isFull,
    setAt,
    offered: due_date ? presets.filter((one) => !has(one)) : [],
    add: (one: Reminder) => setReminders(withOne(one)),
    addMoment: () => {
      setReminders(withOne({ at }));
      setAt("");
    },
    remove: (one: Reminder) => setReminders(reminders.filter((other) => other !== one)),
    /** Including the moment that was typed but not added; undefined if it has passed. */
    all: isFull || !at ? reminders : at > now ? withOne({ at }) : undefined,
  };
}

/** Edits the reminders of a record: up to five, and whether they repeat until it is done. */
export default function RemindDialog({ memory, onSave, onClose }: Props) {
  const { now, reminders, at, isFull, setAt, offered, all, ...change } = useReminders(memory);
  const [isRepeated, setRepeated] = useState(memory.remind_until_done ?? false);
  const addArea = useRef<HTMLDivElement>(null);
  const hasTime = memory.due_time !== null;
  const hasAny = all === undefined || all.length > 0;
  const add = (one: Reminder) => {
    change.add(one);
    // The pressed button disappears, so the next one takes the focus.
    requestAnimationFrame(() => addArea.current?.querySelector<HTMLElement>("button, input")?.focus());
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!all) return;
    onClose();
    onSave({ remind: [...all], remind_until_done: all.length > 0 && isRepeated });
  };
  return (
    <Dialog title="Reminders" isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <List reminders={reminders} hasTime={hasTime} onRemove={change.remove} />
        {isFull ? (
          <p className={styles.quiet}>A record can have up to five reminders.</p>
        ) : (
          <div ref={addArea} className={styles.form}>
            {offered.length > 0 && (
              <div className="button-row">
                {offered.map((one) => (
                  <Button key={one.before} onPress={() => add(one)}>
                    <Plus size="0.875rem" /> {reminderLabel(one, hasTime)}
                  </Button>
                ))}
              </div>
            )}
            <Moment at={at} now={now} onType={setAt} onAdd={change.addMoment} />
          </div>
        )}
        <label className={styles.choice}>
          <input
            type="checkbox"
            disabled={!hasAny}
            checked={isRepeated && hasAny}
            onChange={({ target }) => setRepeated(target.checked)}
          />{" "}
          Repeat every hour until it’s done, between 8:00 and 22:00
        </label>
        <SubmitOrCancel verb="Save" onCancel={onClose} isDisabled={all === undefined} />
      </form>
    </Dialog>
  );
}
