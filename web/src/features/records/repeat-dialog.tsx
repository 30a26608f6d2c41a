import { type FormEvent, type ReactNode, useId, useState } from "react";
import { type Rule, readRule, writeRule } from "../../../../src/contract/repeat/rule.ts";
import { ruleText } from "../../../../src/contract/repeat/rule-text.ts";
import type { Memory, MemoryChange } from "../../api/memories.ts";
import { shortDays } from "../../kit/dates.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { SubmitOrCancel } from "../../kit/form.tsx";
import { capitalized } from "../../kit/text.ts";
import { useToday } from "../../kit/time.tsx";
import styles from "./plan.module.css";
import { RepeatEnd, RepeatInterval } from "./repeat-custom.tsx";
import {
  firstDayOfRule,
  isSameRule,
  parseRepeatRule,
  presetRules,
  type RepeatFrom,
  upcomingDays,
  withImpliedDays,
  withoutEnd,
} from "./repeat-form.ts";

type ChoiceProps = { name: string; isChosen: boolean; onChoose: () => void; children: ReactNode };

const Choice = ({ name, isChosen, onChoose, children }: ChoiceProps) => (
  <label className={styles.choice}>
    <input type="radio" name={name} checked={isChosen} onChange={onChoose} /> {children}
  </label>
);

/** `isOwn`: a custom rule, not a preset. */
type Choices = { rule: Rule | undefined; isOwn: boolean };

type PresetsProps = { day: string; chosen: Choices; onChoose: (chosen: Choices) => void };

/** Once, a common rule, or a custom one. The end of the rule is kept. */
function Presets({ day, chosen: { rule, isOwn }, onChoose }: PresetsProps) {
  const name = useId();
  const presets = presetRules(day);
  const choose = (preset: Rule) =>
    onChoose({ rule: { ...preset, count: rule?.count, until: rule?.until }, isOwn: false });
  return (
    <fieldset className={styles.choices}>
      <legend className="visually-hidden">How often</legend>
      <Choice name={name} isChosen={!rule} onChoose={() => onChoose({ rule: undefined, isOwn: false })}>
        Once
      </Choice>
      {presets.map((preset) => (
        <Choice
          key={writeRule(preset)}
          name={name}
          isChosen={!isOwn && rule !== undefined && isSameRule(withoutEnd(rule), preset)}
          onChoose={() => choose(preset)}
        >
          {capitalized(ruleText(preset))}
        </Choice>
      ))}
      <Choice
        name={name}
        isChosen={isOwn}
        onChoose={() =>
          onChoose({
            rule: rule ?? presets.find(({ freq, by_day }) => freq === "WEEKLY" && by_day.length === 1),
            isOwn: true,
          })
        }
      >
        Custom…
      </Choice>
    </fieldset>
  );
}

type FromProps = { from: RepeatFrom; onChange: (from: RepeatFrom) => void };

function From({ from, onChange }: FromProps) {
  const name = useId();
  return (
    <fieldset className={styles.choices}>
      <legend>The next one is due</legend>
      <Choice name={name} isChosen={from === "due"} onChoose={() => onChange("due")}>
        on its scheduled day
      </Choice>
      <Choice name={name} isChosen={from === "done"} onChoose={() => onChange("done")}>
        counted from completion
      </Choice>
    </fieldset>
  );
}

type PreviewProps = {
  rule: Rule | undefined;
  problem: string | undefined;
  next: readonly string[];
  today: string;
  /** Whether the record has repeated so far. */
  ends: boolean;
};

/** The rule in words and its next days, or what is wrong with it. */
function Preview({ rule, problem, next, today, ends }: PreviewProps) {
  if (!rule) return ends && "It won’t repeat after this one.";
  if (problem) return <span className={styles.problem}>{problem}</span>;
  const days = shortDays(next, today);
  return (
    <>
      <strong>{capitalized(ruleText(rule))}.</strong> {days ? `Next: ${days}` : "It won’t repeat again."}
    </>
  );
}

/** The rule as the dialog shows it. A rule counted from completion has no fixed days. */
function currentRule({ repeat, repeat_from, repeat_start }: Memory): Rule | undefined {
  const rule = parseRepeatRule(repeat);
  return rule && repeat_start && repeat_from !== "done" ? withImpliedDays(rule, repeat_start) : rule;
}

type Props = { memory: Memory; onSave: (change: MemoryChange) => void; onClose: () => void };

/** Sets, changes or ends the repetition of a record, with a preview of the next days. */
export default function RepeatDialog({ memory, onSave, onClose }: Props) {
  const today = useToday();
  const current = currentRule(memory);
  const due = memory.due_date ?? today;
  const isPreset =
    current === undefined || presetRules(due).some((one) => isSameRule(one, withoutEnd(current)));
  const [chosen, setChosen] = useState<Choices>({ rule: current, isOwn: !isPreset });
  const [from, setFrom] = useState<RepeatFrom>(memory.repeat_from ?? "due");
  const { rule, isOwn } = chosen;
  const checked = rule && readRule(writeRule(rule), { today });
  const problem = checked && "problem" in checked ? checked.problem : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem) return;
    const first = rule && !memory.due_date ? firstDayOfRule(rule, today) : undefined;
    onClose();
    onSave({
      repeat: rule ? writeRule(rule) : null,
      repeat_from: rule ? from : null,
      ...(first && { due_date: first }),
    });
  };
  const next = rule && !problem ? upcomingDays(rule, { due, today, from }) : [];
  return (
    <Dialog title="Repeat" isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <Presets day={due} chosen={chosen} onChoose={setChosen} />
        {rule && isOwn && (
          <RepeatInterval rule={rule} day={due} onChange={(own) => setChosen({ rule: own, isOwn })} />
        )}
        {rule && <From from={from} onChange={setFrom} />}
        {rule && (
          <RepeatEnd rule={rule} today={today} onChange={(ending) => setChosen({ rule: ending, isOwn })} />
        )}
        <p role="status" className={styles.preview}>
          <Preview {...{ rule, problem, next, today }} ends={current !== undefined} />
        </p>
        <SubmitOrCancel verb="Save" onCancel={onClose} isDisabled={problem !== undefined} />
      </form>
    </Dialog>
  );
}
