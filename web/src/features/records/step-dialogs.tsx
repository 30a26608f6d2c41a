import { type ReactNode, useState } from "react";
import { readDay } from "../../../../src/shared/when/day.ts";
import { dayProblem } from "../../../../src/shared/when/day-problem.ts";
import { Button } from "../../kit/button.tsx";
import { addDays, addMonths, fullDay, isoWeekday, relativeDay, shortDay } from "../../kit/dates.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, SubmitOrCancel } from "../../kit/form.tsx";
import { useToday } from "../../kit/time.tsx";
import type { RecordItem } from "./row.ts";
import styles from "./step-dialogs.module.css";
import { applyStep } from "./steps.ts";

export type StepRequest = { action: "resolve" | "defer"; rows: readonly RecordItem[] };

export type StepDialogProps = StepRequest & {
  onClose: () => void;
  /** Called when the step is applied, not when it is cancelled. */
  onTake?: () => void;
};

type StepFormProps = StepDialogProps & { verb: string; onSubmit: () => void; children: ReactNode };

const StepForm = ({ verb, rows, onSubmit, onClose, children }: StepFormProps) => (
  <Dialog title={rows.length === 1 ? verb : `${verb} ${rows.length} records`} isOpen onClose={onClose}>
    {rows.length === 1 && <p className={styles.about}>{rows[0]?.topic}</p>}
    <Form onSubmit={onSubmit}>
      {children}
      <SubmitOrCancel verb={verb} onCancel={onClose} />
    </Form>
  </Dialog>
);

function Resolve(props: StepDialogProps) {
  const { rows, onClose, onTake } = props;
  const [note, setNote] = useState("");
  const submit = () => {
    onTake?.();
    onClose();
    void applyStep(rows, { action: "resolve", note: note.trim() });
  };
  return (
    <StepForm {...props} verb="Resolve" onSubmit={submit}>
      <TextField
        label="Add a note (optional)"
        hint="Press Enter to resolve."
        autoFocus
        maxLength={2000}
        value={note}
        onChange={setNote}
      />
    </StepForm>
  );
}

const suggestedDays = (today: string): [name: string, day: string][] => [
  ["Tomorrow", addDays(today, 1)],
  ["Monday", addDays(today, 8 - isoWeekday(today))],
  ["In 2 weeks", addDays(today, 14)],
  ["Next month", addMonths(`${today.slice(0, 8)}01`, 1)],
];

/** The day that was typed, or why the record cannot be deferred to it. */
function understood(text: string, today: string): { day?: string; words: string; problem?: string } {
  if (!text.trim()) return { words: "Leave empty to defer indefinitely." };
  const day = readDay(text, today);
  if (!day) return { words: "", problem: dayProblem(text, today) };
  if (day <= today) return { words: "", problem: `${fullDay(day)} is not in the future.` };
  return { day, words: `Comes back on ${fullDay(day)}, ${relativeDay(day, today)}.` };
}

function Defer(props: StepDialogProps) {
  const { rows, onClose, onTake } = props;
  const today = useToday();
  const [text, setText] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);
  const { day, words, problem } = understood(text, today);
  const defer = (until: string | null) => {
    onTake?.();
    onClose();
    void applyStep(rows, { action: "defer", until });
  };
  return (
    <StepForm {...props} verb="Defer" onSubmit={() => (problem ? setSubmitted(true) : defer(day ?? null))}>
      <TextField
        label="Defer until…"
        placeholder="fri, in 2 weeks, 3.12."
        autoFocus
        value={text}
        onChange={(typed) => {
          setText(typed);
          setSubmitted(false);
        }}
        problem={isSubmitted ? problem : undefined}
      />
      <p className={styles.understood} role="status">
        {isSubmitted && problem ? "" : (problem ?? words)}
      </p>
      <div className="button-row">
        {suggestedDays(today).map(([name, until]) => (
          <Button key={name} onPress={() => defer(until)}>
            {name} <span className={styles.quiet}>{shortDay(until, today)}</span>
          </Button>
        ))}
      </div>
    </StepForm>
  );
}

export default function StepDialogForm(props: StepDialogProps) {
  return props.action === "resolve" ? <Resolve {...props} /> : <Defer {...props} />;
}
