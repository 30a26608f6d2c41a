import { type FormEvent, type ReactNode, useId, useState } from "react";
import { type Rule, readRule, writeRule } from "../../../../src/contract/repeat/rule.ts";
import { textOf } from "../../../../src/contract/repeat/text.ts";
import type { Memory, MemoryChange } from "../../api/memories.ts";
import { Button } from "../../kit/button.tsx";
import { capitalized } from "../../kit/capitalized.ts";
import { shortDays } from "../../kit/dates.ts";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { useToday } from "../../kit/time.tsx";
import styles from "./plan.module.css";
import { Ends, Every } from "./repeat-custom.tsx";
import {
  endless,
  firstDay,
  isSameRule,
  nextDays,
  presetsFor,
  type RepeatFrom,
  ruleIn,
  spelledOut,
} from "./repeat-form.ts";

type ChoiceProps = { name: string; isChosen: boolean; onChoose: () => void; children: ReactNode };

const Choice = ({ name, isChosen, onChoose, children }: ChoiceProps) => (
  <label className={styles.choice}>
    <input type="radio" name={name} checked={isChosen} onChange={onChoose} /> {children}
  </label>
);

type Chosen = { rule: Rule | undefined; isOwn: boolean };

type PresetsProps = { day: string; chosen: Chosen; onChoose: (chosen: Chosen) => void };

/** Once, what most things repeat by, or a rule of one's own. The end of the rule stays. */
function Presets({ day, chosen: { rule, isOwn }, onChoose }: PresetsProps) {
  const name = useId();
  const presets = presetsFor(day);
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
          isChosen={!isOwn && rule !== undefined && isSameRule(endless(rule), preset)}
          onChoose={() => choose(preset)}
        >
          {capitalized(textOf(preset))}
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
        Something else…
      </Choice>
    </fieldset>
  );
}

type FromProps = { from: RepeatFrom; onChange: (from: RepeatFrom) => void };

function From({ from, onChange }: FromProps) {
  const name = useId();
  return (
    <fieldset className={styles.choices}>
      <legend>The next one comes</legend>
      <Choice name={name} isChosen={from === "due"} onChoose={() => onChange("due")}>
        on its day in the calendar
      </Choice>
      <Choice name={name} isChosen={from === "done"} onChoose={() => onChange("done")}>
        counted from when this one is done
      </Choice>
    </fieldset>
  );
}

type PreviewProps = {
  rule: Rule | undefined;
  problem: string | undefined;
  next: readonly string[];
  today: string;
  /** Whether it has repeated until now. */
  ends: boolean;
};

/** What the rule says, and the days that come next; or what is wrong with it. */
function Preview({ rule, problem, next, today, ends }: PreviewProps) {
  if (!rule) return ends && "No other comes after this one.";
  if (problem) return <span className={styles.problem}>{problem}</span>;
  const days = shortDays(next, today);
  return (
    <>
      <strong>{capitalized(textOf(rule))}.</strong> {days ? `Next: ${days}` : "It does not come again."}
    </>
  );
}

/** The rule as it is shown. What is counted from when it was done has no days of its own. */
function knownRule({ repeat, repeat_from, repeat_start }: Memory): Rule | undefined {
  const rule = ruleIn(repeat);
  return rule && repeat_start && repeat_from !== "done" ? spelledOut(rule, repeat_start) : rule;
}

type Props = { memory: Memory; onSave: (change: MemoryChange) => void; onClose: () => void };

/** How a record repeats: chosen, changed, ended. The next days are shown before it is saved. */
export default function RepeatDialog({ memory, onSave, onClose }: Props) {
  const today = useToday();
  const known = knownRule(memory);
  const due = memory.due_date ?? today;
  const isPreset = known === undefined || presetsFor(due).some((one) => isSameRule(one, endless(known)));
  const [chosen, setChosen] = useState<Chosen>({ rule: known, isOwn: !isPreset });
  const [from, setFrom] = useState<RepeatFrom>(memory.repeat_from ?? "due");
  const { rule, isOwn } = chosen;
  const read = rule && readRule(writeRule(rule), { today });
  const problem = read && "problem" in read ? read.problem : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem) return;
    const first = rule && !memory.due_date ? firstDay(rule, today) : undefined;
    onClose();
    onSave({
      repeat: rule ? writeRule(rule) : null,
      repeat_from: rule ? from : null,
      ...(first && { due_date: first }),
    });
  };
  const next = rule && !problem ? nextDays(rule, { due, today, from }) : [];
  return (
    <Dialog title="Repeat" isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <Presets day={due} chosen={chosen} onChoose={setChosen} />
        {rule && isOwn && <Every rule={rule} day={due} onChange={(own) => setChosen({ rule: own, isOwn })} />}
        {rule && <From from={from} onChange={setFrom} />}
        {rule && <Ends rule={rule} today={today} onChange={(ending) => setChosen({ rule: ending, isOwn })} />}
        <p role="status" className={styles.preview}>
          <Preview {...{ rule, problem, next, today }} ends={known !== undefined} />
        </p>
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isDisabled={problem !== undefined}>
            Save
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
