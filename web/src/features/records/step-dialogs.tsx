import { type FormEvent, type ReactNode, useState } from "react";
import { readDay } from "../../../../src/contract/when/day.ts";
import { whyNoDay } from "../../../../src/contract/when/no-day.ts";
import { Button } from "../../kit/button.tsx";
import { addDays, addMonths, fullDay, relativeDay, shortDay, weekdayOf } from "../../kit/dates.ts";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { useToday } from "../../kit/time.tsx";
import type { Row } from "./row.ts";
import styles from "./step-dialogs.module.css";
import { take } from "./steps.ts";

/** What a dialog asks about. */
export type Asked = { action: "resolve" | "defer"; rows: readonly Row[] };

export type Props = Asked & {
  onClose: () => void;
  /** Called when the step is taken, not when it is cancelled. */
  onTake?: () => void;
};

const about = (rows: readonly Row[]) =>
  rows.length === 1 ? <p className={styles.about}>{rows[0]?.topic}</p> : null;
const titled = (verb: string, rows: readonly Row[]) =>
  rows.length === 1 ? verb : `${verb} ${rows.length} records`;

type FormProps = { children: ReactNode; submit: () => void };

const Form = ({ children, submit }: FormProps) => (
  <form
    className={styles.form}
    onSubmit={(event: FormEvent) => {
      event.preventDefault();
      submit();
    }}
  >
    {children}
  </form>
);

function Resolve({ rows, onClose, onTake }: Props) {
  const [note, setNote] = useState("");
  const submit = () => {
    onTake?.();
    onClose();
    void take(rows, { action: "resolve", note: note.trim() });
  };
  return (
    <Dialog title={titled("Resolve", rows)} isOpen onClose={onClose}>
      {about(rows)}
      <Form submit={submit}>
        <TextField
          label="What came of it?"
          hint="Optional. Enter resolves."
          autoFocus
          maxLength={2000}
          value={note}
          onChange={setNote}
        />
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" kind="primary">
            Resolve
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

const suggested = (today: string): [string, string][] => [
  ["Tomorrow", addDays(today, 1)],
  ["Monday", addDays(today, 8 - weekdayOf(today))],
  ["In 2 weeks", addDays(today, 14)],
  ["Next month", addMonths(`${today.slice(0, 8)}01`, 1)],
];

/** What a typed day was understood as, or why it cannot be one to come back on. */
function understood(text: string, today: string): { day?: string; words: string; problem?: string } {
  if (!text.trim()) return { words: "Without a day it waits until you reopen it." };
  const day = readDay(text, today);
  if (!day) return { words: "", problem: whyNoDay(text, today) };
  if (day <= today) return { words: "", problem: `${fullDay(day)} is not ahead.` };
  return { day, words: `Comes back on ${fullDay(day)}, ${relativeDay(day, today)}.` };
}

function Defer({ rows, onClose, onTake }: Props) {
  const today = useToday();
  const [text, setText] = useState("");
  const [sent, setSent] = useState(false);
  const { day, words, problem } = understood(text, today);
  const defer = (until: string | null) => {
    onTake?.();
    onClose();
    void take(rows, { action: "defer", until });
  };
  return (
    <Dialog title={titled("Defer", rows)} isOpen onClose={onClose}>
      {about(rows)}
      <Form submit={() => (problem ? setSent(true) : defer(day ?? null))}>
        <TextField
          label="Until when?"
          placeholder="fri, in 2 weeks, 3.12."
          autoFocus
          value={text}
          onChange={(typed) => {
            setText(typed);
            setSent(false);
          }}
          problem={sent ? problem : undefined}
        />
        <p className={styles.understood} role="status">
          {sent && problem ? "" : (problem ?? words)}
        </p>
        <div className={styles.suggested}>
          {suggested(today).map(([name, until]) => (
            <Button key={name} onPress={() => defer(until)}>
              {name} <span className={styles.quiet}>{shortDay(until, today)}</span>
            </Button>
          ))}
        </div>
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" kind="primary">
            Defer
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

const DIALOGS = { resolve: Resolve, defer: Defer };

/** The question of a step. */
export default function StepQuestion(props: Props) {
  const Asking = DIALOGS[props.action];
  return <Asking {...props} />;
}
