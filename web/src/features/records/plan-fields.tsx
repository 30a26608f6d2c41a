import { type ComponentType, lazy, type ReactNode, Suspense, useId, useState } from "react";
import type { Memory, MemoryChange } from "../../api/memories.ts";
import { Button } from "../../kit/button.tsx";
import { capitalized } from "../../kit/capitalized.ts";
import { shortDays } from "../../kit/dates.ts";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { Bell, Repeat } from "../../kit/icons.tsx";
import { useToday } from "../../kit/time.tsx";
import styles from "./plan.module.css";
import fields from "./record.module.css";
import { missedWords } from "./record-when.tsx";
import { goesOn } from "./steps.ts";
import { remindersOf } from "./version-fields.ts";

// When a record reminds and how it repeats, each in a dialog of its own that is loaded when it is asked for.

type DialogProps = { memory: Memory; onSave: (change: MemoryChange) => void; onClose: () => void };

const RemindDialog = lazy(() => import("./remind-dialog.tsx"));
const RepeatDialog = lazy(() => import("./repeat-dialog.tsx"));

type Props = { memory: Memory; onChange: (change: MemoryChange) => void };

type FieldProps = Props & {
  name: string;
  icon: ReactNode;
  says: string;
  dialog: ComponentType<DialogProps>;
  children?: ReactNode;
};

function Field({ memory, onChange, name, icon, says, dialog: Asking, children }: FieldProps) {
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
        {icon} {says}
      </button>
      {children}
      <Suspense>
        {isOpen && <Asking memory={memory} onSave={onChange} onClose={() => setOpen(false)} />}
      </Suspense>
    </div>
  );
}

export const RemindField = (props: Props) => (
  <Field
    {...props}
    name="Reminders"
    icon={<Bell aria-hidden="true" />}
    says={capitalized(remindersOf(props.memory) || "none")}
    dialog={RemindDialog}
  />
);

export function RepeatField(props: Props) {
  const today = useToday();
  const { repeat, repeat_text, repeat_from, next_due, missed } = props.memory;
  const next = next_due && shortDays(next_due, today);
  return (
    <Field
      {...props}
      name="Repeats"
      icon={<Repeat aria-hidden="true" />}
      says={repeat ? capitalized(repeat_text ?? repeat) : "Once"}
      dialog={RepeatDialog}
    >
      {repeat && (
        <p className={fields.quiet}>
          {repeat_from === "done" && "Counted from when it was done. "}
          {next && `Next: ${next}`}
        </p>
      )}
      {missed ? <p className={styles.missed}>{capitalized(missedWords(missed))}</p> : null}
    </Field>
  );
}

/** What a change may be of: one record of a series, or all that follow it. */
export function asksWhich(memory: Memory, change: MemoryChange): boolean {
  return goesOn(memory) && ["due_time", "remind", "remind_until_done"].some((name) => name in change);
}

type WhichProps = { change: MemoryChange; onChange: (change: MemoryChange) => void; onClose: () => void };

/** Asks whether a change is of this one alone. */
export function Which({ change, onChange, onClose }: WhichProps) {
  const take = (apply_to: "this" | "following") => () => {
    onClose();
    onChange({ ...change, apply_to });
  };
  return (
    <Dialog title="Only this one, or all that follow?" isOpen onClose={onClose}>
      <p>It repeats: the change can be for this one alone, or for the next ones, too.</p>
      <Actions>
        <Button onPress={onClose}>Cancel</Button>
        <Button onPress={take("this")}>This one</Button>
        <Button kind="primary" onPress={take("following")}>
          All that follow
        </Button>
      </Actions>
    </Dialog>
  );
}
