import { type ReactNode, useState } from "react";
import { isSameName } from "../../../../src/contract/name-key.ts";
import { readDay } from "../../../../src/shared/when/day.ts";
import { dayProblem } from "../../../../src/shared/when/day-problem.ts";
import { Button } from "../../kit/button.tsx";
import { addDays, addMonths, fullDay, isoWeekday, relativeDay, shortDay } from "../../kit/dates.ts";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, SubmitOrCancel } from "../../kit/form.tsx";
import { useMedia } from "../../kit/media.ts";
import { formatCount } from "../../kit/text.ts";
import { useToday } from "../../kit/time.tsx";
import { AddTag } from "../tags/tag-field.tsx";
import { RECORD_TYPES, TYPE_NAMES } from "../things/names.ts";
import { projectNames, useSummary } from "../things/summary.ts";
import type { RecordItem } from "./row.ts";
import type { RecordActionName, RecordStep } from "./step-actions.ts";
import styles from "./step-dialogs.module.css";
import { applyStep } from "./steps.ts";

/** The actions that ask for something first. */
export type AskingAction = Extract<
  RecordActionName,
  "note" | "reschedule" | "defer" | "project" | "tag" | "type"
>;
export type StepRequest = { action: AskingAction; rows: readonly RecordItem[] };

export type StepDialogProps = StepRequest & {
  onClose: () => void;
  /** Called when the step is applied, not when it is cancelled. */
  onTake?: () => void;
};

/** Applies the step that the answer describes, and closes the dialog. */
function useTake({ rows, onClose, onTake }: StepDialogProps) {
  return (step: RecordStep) => {
    onTake?.();
    onClose();
    void applyStep(rows, step);
  };
}

type FrameProps = StepDialogProps & { verb: string; children: ReactNode };

const Frame = ({ verb, rows, onClose, children }: FrameProps) => (
  <Dialog
    title={rows.length === 1 ? verb : `${verb} ${formatCount(rows.length)} records`}
    isOpen
    onClose={onClose}
  >
    {rows.length === 1 && <p className={styles.about}>{rows[0]?.topic}</p>}
    {children}
  </Dialog>
);

const CancelButton = ({ onClose }: StepDialogProps) => (
  <Actions>
    <Button onPress={onClose}>Cancel</Button>
  </Actions>
);

const StepForm = ({ onSubmit, children, ...props }: FrameProps & { onSubmit: () => void }) => (
  <Frame {...props}>
    <Form onSubmit={onSubmit}>
      {children}
      <SubmitOrCancel verb={props.verb} onCancel={props.onClose} />
    </Form>
  </Frame>
);

function Resolve(props: StepDialogProps) {
  const take = useTake(props);
  const [note, setNote] = useState("");
  return (
    <StepForm {...props} verb="Resolve" onSubmit={() => take({ action: "resolve", note: note.trim() })}>
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

type NamedDay = [name: string, day: string];
type Understood = { day?: string; words: string; problem?: string };

const nextMonday = (today: string) => addDays(today, 8 - isoWeekday(today));

type DayFormProps = StepDialogProps & {
  verb: string;
  label: string;
  days: readonly NamedDay[];
  /** The day that was typed, or why it cannot be taken. */
  understood: (text: string, today: string) => Understood;
  onDay: (day: string | null) => void;
  children?: ReactNode;
};

/** Asks for a day: typed in words, or one of a few. */
function DayForm({ label, days, understood, onDay, children, ...props }: DayFormProps) {
  const today = useToday();
  const [text, setText] = useState("");
  const [isSubmitted, setSubmitted] = useState(false);
  // With a finger, one of the days is more likely, and the keyboard would cover them.
  const isTouch = useMedia("(hover: none)");
  const { day, words, problem } = understood(text, today);
  return (
    <StepForm {...props} onSubmit={() => (problem ? setSubmitted(true) : onDay(day ?? null))}>
      <TextField
        label={label}
        placeholder="fri, in 2 weeks, 3.12."
        autoFocus={!isTouch}
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
        {days.map(([name, of]) => (
          <Button key={name} onPress={() => onDay(of)}>
            {name} <span className={styles.quiet}>{shortDay(of, today)}</span>
          </Button>
        ))}
        {children}
      </div>
    </StepForm>
  );
}

const deferDays = (today: string): NamedDay[] => [
  ["Tomorrow", addDays(today, 1)],
  ["Monday", nextMonday(today)],
  ["In 2 weeks", addDays(today, 14)],
  ["Next month", addMonths(`${today.slice(0, 8)}01`, 1)],
];

function deferredTo(text: string, today: string): Understood {
  if (!text.trim()) return { words: "Leave empty to defer indefinitely." };
  const day = readDay(text, today);
  if (!day) return { words: "", problem: dayProblem(text, today) };
  if (day <= today) return { words: "", problem: `${fullDay(day)} is not in the future.` };
  return { day, words: `Comes back on ${fullDay(day)}, ${relativeDay(day, today)}.` };
}

function Defer(props: StepDialogProps) {
  const take = useTake(props);
  return (
    <DayForm
      {...props}
      verb="Defer"
      label="Defer until…"
      days={deferDays(useToday())}
      understood={deferredTo}
      onDay={(until) => take({ action: "defer", until })}
    />
  );
}

const dueDays = (today: string): NamedDay[] => [
  ["Today", today],
  ["Tomorrow", addDays(today, 1)],
  ["Next week", nextMonday(today)],
  ["Next month", addMonths(`${today.slice(0, 8)}01`, 1)],
];

function dueOn(text: string, today: string): Understood {
  if (!text.trim()) return { words: "", problem: "Enter a day, or choose one below." };
  const day = readDay(text, today);
  if (!day) return { words: "", problem: dayProblem(text, today) };
  return { day, words: `Due on ${fullDay(day)}, ${relativeDay(day, today)}.` };
}

function Reschedule(props: StepDialogProps) {
  const take = useTake(props);
  const today = useToday();
  const onDay = (day: string | null) => take({ action: "reschedule", day });
  const isDated = props.rows.some(({ due_date, repeat }) => due_date && !repeat);
  return (
    <DayForm
      {...props}
      verb="Reschedule"
      label="Due on…"
      days={dueDays(today)}
      understood={dueOn}
      onDay={onDay}
    >
      {isDated && <Button onPress={() => onDay(null)}>No date</Button>}
    </DayForm>
  );
}

const MOST_PROJECTS = 8;

function MoveToProject(props: StepDialogProps) {
  const take = useTake(props);
  const known = projectNames(useSummary().data);
  const [text, setText] = useState("");
  const name = text.trim();
  const same = known.find((one) => isSameName(one, name));
  const offered = known.filter((one) => one.toLowerCase().includes(name.toLowerCase()));
  const move = (project: string | null) => take({ action: "project", project });
  return (
    <StepForm {...props} verb="Move" onSubmit={() => name && move(same ?? name)}>
      <TextField label="Project" autoFocus maxLength={200} value={text} onChange={setText} />
      <p className={styles.understood} role="status">
        {name && !same && `“${name}” will be a new project.`}
      </p>
      <div className="button-row">
        {offered.slice(0, MOST_PROJECTS).map((project) => (
          <Button key={project} onPress={() => move(project)}>
            {project}
          </Button>
        ))}
        {props.rows.some(({ project }) => project) && (
          <Button kind="quiet" onPress={() => move(null)}>
            No project
          </Button>
        )}
      </div>
    </StepForm>
  );
}

function AddTagTo(props: StepDialogProps) {
  const take = useTake(props);
  return (
    <Frame {...props} verb={props.rows.length === 1 ? "Add a tag" : "Add a tag to"}>
      <AddTag
        label="Tag"
        except={[]}
        autoFocus
        onAdd={(tag) => take({ action: "tag", tag: tag.replace(/^#/, "") })}
      />
      <CancelButton {...props} />
    </Frame>
  );
}

function ChangeType(props: StepDialogProps) {
  const take = useTake(props);
  return (
    <Frame {...props} verb={props.rows.length === 1 ? "Change the type" : "Change the type of"}>
      <div className="button-row">
        {RECORD_TYPES.map((type) => (
          <Button key={type} onPress={() => take({ action: "type", type })}>
            {TYPE_NAMES[type]}
          </Button>
        ))}
      </div>
      <CancelButton {...props} />
    </Frame>
  );
}

const DIALOGS = {
  note: Resolve,
  reschedule: Reschedule,
  defer: Defer,
  project: MoveToProject,
  tag: AddTagTo,
  type: ChangeType,
} satisfies Record<AskingAction, (props: StepDialogProps) => ReactNode>;

export default function StepDialogForm(props: StepDialogProps) {
  const Question = DIALOGS[props.action];
  return <Question {...props} />;
}
