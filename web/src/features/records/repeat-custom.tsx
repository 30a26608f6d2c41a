import { useEffect, useId, useState } from "react";
import type { Rule } from "../../../../src/contract/repeat/rule.ts";
import { textOf } from "../../../../src/contract/repeat/text.ts";
import { addMonths } from "../../kit/dates.ts";
import styles from "./plan.module.css";
import { endless, type Freq, isSameRule, monthlyRules, withFreq, withWeekday } from "./repeat-form.ts";

// The parts of a rule of one's own.

const UNITS: Record<Freq, string> = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" };
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MOST = 1000;

/** A whole number within its limits; undefined for what is none. */
const wholeIn = (text: string): number | undefined =>
  /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST ? Number(text) : undefined;

type NumberProps = { id?: string; "aria-label"?: string; value: number; onChange: (value: number) => void };

/** A whole number. While it is typed the field may be empty, which changes nothing. */
function WholeNumber({ value, onChange, ...props }: NumberProps) {
  const [text, setText] = useState(String(value));
  useEffect(() => setText(String(value)), [value]);
  const type = (typed: string) => {
    setText(typed);
    const whole = wholeIn(typed);
    if (whole !== undefined) onChange(whole);
  };
  return (
    <input
      {...props}
      type="number"
      inputMode="numeric"
      min={1}
      max={MOST}
      value={text}
      onChange={({ target }) => type(target.value)}
      onBlur={() => setText(String(value))}
    />
  );
}

type Props = { rule: Rule; day: string; onChange: (rule: Rule) => void };

const Weekdays = ({ rule, onChange }: Pick<Props, "rule" | "onChange">) => (
  <fieldset className={styles.weekdays}>
    <legend className="visually-hidden">On</legend>
    {WEEKDAYS.map((name, weekday) => (
      <label key={name}>
        <input
          type="checkbox"
          checked={rule.by_day.some((one) => one.weekday === weekday)}
          onChange={() => onChange(withWeekday(rule, weekday))}
        />
        <span>{name}</span>
      </label>
    ))}
  </fieldset>
);

/** "the last Monday", "the 30th" */
const dayWords = (rule: Rule) =>
  textOf(rule)
    .replace(/^every month on /, "")
    .replace(/^every /, "the ")
    .replace(/ of the month$/, "");

/** Which day of the month: one of those that the due date can mean, or what the rule says already. */
function MonthDay({ rule, day, onChange }: Props) {
  const id = useId();
  const plain = { ...endless(rule), interval: 1 };
  const known = monthlyRules(day);
  const all = known.some((one) => isSameRule(one, plain)) ? known : [plain, ...known];
  return (
    <div className={styles.line}>
      <label htmlFor={id}>On</label>
      <select
        id={id}
        value={all.findIndex((one) => isSameRule(one, plain))}
        onChange={({ target }) =>
          onChange({
            ...(all[Number(target.value)] ?? plain),
            ...{ interval: rule.interval, count: rule.count, until: rule.until },
          })
        }
      >
        {all.map((one, place) => (
          <option key={textOf(one)} value={place}>
            {dayWords(one)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** "Every 2 weeks", and on which days. */
export function Every({ rule, day, onChange }: Props) {
  const id = useId();
  return (
    <div className={styles.own}>
      <div className={styles.line}>
        <label htmlFor={id}>Every</label>
        <WholeNumber id={id} value={rule.interval} onChange={(interval) => onChange({ ...rule, interval })} />
        <select
          aria-label="Unit"
          value={rule.freq}
          onChange={({ target }) => onChange(withFreq(rule, target.value as Freq, day))}
        >
          {Object.entries(UNITS).map(([freq, name]) => (
            <option key={freq} value={freq}>
              {rule.interval === 1 ? name : `${name}s`}
            </option>
          ))}
        </select>
      </div>
      {rule.freq === "WEEKLY" && <Weekdays rule={rule} onChange={onChange} />}
      {rule.freq === "MONTHLY" && <MonthDay rule={rule} day={day} onChange={onChange} />}
    </div>
  );
}

const USUAL_COUNT = 10;
const USUAL_MONTHS = 6;

type EndsProps = { rule: Rule; today: string; onChange: (rule: Rule) => void };

/** Whether it ends: never, on a day, or after so many times. */
export function Ends({ rule, today, onChange }: EndsProps) {
  const id = useId();
  const end = rule.until ? "until" : rule.count ? "count" : "never";
  const choose = (kind: string) =>
    onChange({
      ...endless(rule),
      ...(kind === "until" && { until: addMonths(today, USUAL_MONTHS) }),
      ...(kind === "count" && { count: USUAL_COUNT }),
    });
  return (
    <div className={styles.line}>
      <label htmlFor={id}>Ends</label>
      <select id={id} value={end} onChange={({ target }) => choose(target.value)}>
        <option value="never">never</option>
        <option value="until">on</option>
        <option value="count">after</option>
      </select>
      {rule.until && (
        <input
          type="date"
          aria-label="Last day"
          min={today}
          value={rule.until}
          onChange={({ target }) => target.value && onChange({ ...rule, until: target.value })}
        />
      )}
      {rule.count !== undefined && (
        <>
          <WholeNumber
            aria-label="How many times"
            value={rule.count}
            onChange={(count) => onChange({ ...rule, count })}
          />
          {rule.count === 1 ? "time" : "times"}
        </>
      )}
    </div>
  );
}
