import { useState } from "react";
import { fullDay, relativeDay } from "../../kit/dates.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, SubmitOrCancel } from "../../kit/form.tsx";
import { useToday } from "../../kit/time.tsx";
import { RecognizedParts, UnreadNote } from "../records/entry-preview.tsx";
import { saveEntry, useEntryReading } from "../records/quick-entry.tsx";
import { useSecretQuestion } from "../things/ask-secret.tsx";
import { readEntry } from "../things/read-entry.ts";
import styles from "./calendar.module.css";

/** Creates a record from one line of text. It is due on this day unless the text names another. */
export function NewRecord({ day, onClose }: { day: string; onClose: () => void }) {
  const today = useToday();
  const { reading, toPlain, toOther } = useEntryReading(day);
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const entry = readEntry(text, reading);
  const due = entry.record.due_date ?? day;
  const { mayGo, question, forget } = useSecretQuestion();
  const submit = async () => {
    if (!entry.record.topic) return setProblem("Describe it in a few words.");
    if (!(await mayGo(text))) return;
    const failed = await saveEntry({ record: { ...entry.record, due_date: due } }, text);
    if (failed) setProblem(failed.refused);
    else onClose();
  };
  return (
    <Dialog title={`New on ${fullDay(day)}`} isOpen onClose={onClose}>
      <Form onSubmit={() => void submit()}>
        <TextField
          label="What is it?"
          placeholder="Call Grace #apollo"
          autoFocus
          maxLength={20_000}
          value={text}
          onChange={(typed) => {
            setText(typed);
            setProblem(undefined);
            forget();
          }}
          problem={problem}
        />
        <p role="status" className={styles.quiet}>
          Due {relativeDay(due, today)}, {fullDay(due)}
          {entry.record.due_time && `, ${entry.record.due_time}`}
        </p>
        <UnreadNote words={entry.unread} />
        {(entry.parts.length > 0 || entry.offer) && (
          <ul className={styles.pills} aria-label="Understood as">
            <RecognizedParts entry={entry} today={today} onPlain={toPlain} onOther={toOther} />
          </ul>
        )}
        {question(setText, () => void submit())}
        <SubmitOrCancel verb="Save" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
