import { type ComponentType, lazy, type ReactNode, Suspense, useId, useState } from "react";
import type { Memory, MemoryChange } from "../../api/memories.ts";
import { Button } from "../../kit/button.tsx";
import { shortDays } from "../../kit/dates.ts";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { Bell, Repeat } from "../../kit/icons.tsx";
import { capitalized } from "../../kit/text.ts";
import { useToday } from "../../kit/time.tsx";
import styles from "./plan.module.css";
import fields from "./record.module.css";
import { missedText } from "./record-due.tsx";
import { hasNextOccurrence } from "./step-actions.ts";
import { remindersText } from "./version-fields.ts";

// Reminders and repetition of a record, each edited in a dialog that is loaded when it opens.

type DialogProps = { memory: Memory; onSave: (change: MemoryChange) => void; onClose: () => void };

const RemindDialog = lazy(() => import("./remind-dialog.tsx"));
const RepeatDialog = lazy(() => import("./repeat-dialog.tsx"));

type Props = { memory: Memory; onChange: (change: MemoryChange) => void };

type FieldProps = Props & {
  name: string;
  icon: ReactNode;
  value: string;
  dialog: ComponentType<DialogProps>;
  children?: ReactNode;
};

function Field({ memory, onChange, name, icon, value, dialog: EditDialog, children }: FieldProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={fields.field}>
      <span id={id} className={fields.quiet}>
        {name}
      </span>
      <button
        type="button"
        id={`${id}-open`}
        className={styles.open}
        aria-haspopup="dialog"
        aria-labelledby={`${id} ${id}-open`}
        onClick={() => setOpen(true)}
      >
        {icon} {value}
      </button>
      {children}
      <Suspense>
        {isOpen && <EditDialog memory={memory} onSave={onChange} onClose={() => setOpen(false)} />}
      </Suspense>
    </div>
  );
}

export const RemindField = (props: Props) => (
  <Field
    {...props}
    name="Reminders"
    icon={<Bell />}
    value={capitalized(remindersText(props.memory) || "none")}
    dialog={RemindDialog}
  />
);

export function RepeatField(props: Props) {
  const today = useToday();
  const { repeat, repeat_text, next_due, missed } = props.memory;
  const next = next_due && shortDays(next_due, today);
  return (
    <Field
      {...props}
      name="Repeats"
      icon={<Repeat />}
      value={repeat ? capitalized(repeat_text ?? repeat) : "Once"}
      dialog={RepeatDialog}
    >
      {next && <p className={fields.quiet}>Next: {next}</p>}
      {missed ? <p className={styles.missed}>{capitalized(missedText(missed))}</p> : null}
    </Field>
  );
}

/** Whether a change can apply either to one record or to the following ones of its series. */
export function canApplyToSeries(memory: Memory, change: MemoryChange): boolean {
  return (
    hasNextOccurrence(memory) && ["due_time", "remind", "remind_until_done"].some((name) => name in change)
  );
}

type WhichProps = { change: MemoryChange; onChange: (change: MemoryChange) => void; onClose: () => void };

/** Asks whether a change applies to this record only. */
export function ApplyToDialog({ change, onChange, onClose }: WhichProps) {
  const apply = (apply_to: "this" | "following") => () => {
    onClose();
    onChange({ ...change, apply_to });
  };
  return (
    <Dialog title="Apply to this one only?" isOpen onClose={onClose}>
      <p>This record repeats. Apply the change to this one only, or to all that follow as well?</p>
      <Actions>
        <Button onPress={onClose}>Cancel</Button>
        <Button onPress={apply("this")}>Only this one</Button>
        <Button kind="primary" onPress={apply("following")}>
          This and following
        </Button>
      </Actions>
    </Dialog>
  );
}
