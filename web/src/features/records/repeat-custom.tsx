import { useEffect, useId, useState } from "react";
import type { Rule } from "../../../../src/contract/repeat/rule.ts";
import { ruleText } from "../../../../src/contract/repeat/rule-text.ts";
import { addMonths } from "../../kit/dates.ts";
import styles from "./plan.module.css";
import {
  isSameRule,
  monthlyRules,
  type RepeatFrequency,
  withFrequency,
  withoutEnd,
  withWeekday,
} from "./repeat-form.ts";

// The fields of a custom rule.

const UNITS: Record<RepeatFrequency, string> = {
  DAILY: "day",
  WEEKLY: "week",
  MONTHLY: "month",
  YEARLY: "year",
};
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MAX = 1000;

/** Parses a whole number from 1 to MAX; undefined for anything else. */
const parseWhole = (text: string): number | undefined =>
  /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX ? Number(text) : undefined;

type NumberProps = { id?: string; "aria-label"?: string; value: number; onChange: (value: number) => void };

/** A whole number. While typing, the field may be empty, which changes nothing. */
function WholeNumber({ value, onChange, ...props }: NumberProps) {
  const [text, setText] = useState(String(value));
  useEffect(() => setText(String(value)), [value]);
  const type = (typed: string) => {
    setText(typed);
    const whole = parseWhole(typed);
    if (whole !== undefined) onChange(whole);
  };
  return (
    <input
      {...props}
      type="number"
      inputMode="numeric"
      min={1}
      max={MAX}
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
  ruleText(rule)
    .replace(/^every month on /, "")
    .replace(/^every /, "the ")
    .replace(/ of the month$/, "");

/** The day of the month: one that the due date can stand for, or the one that the rule already has. */
function MonthDay({ rule, day, onChange }: Props) {
  const id = useId();
  const { interval, count, until } = rule;
  const plain = { ...withoutEnd(rule), interval: 1 };
  const choices = monthlyRules(day);
  const all = choices.some((one) => isSameRule(one, plain)) ? choices : [plain, ...choices];
  return (
    <div className={styles.line}>
      <label htmlFor={id}>On</label>
      <select
        id={id}
        value={all.findIndex((one) => isSameRule(one, plain))}
        onChange={({ target }) =>
          onChange({ ...(all[Number(target.value)] ?? plain), interval, count, until })
        }
      >
        {all.map((one, place) => (
          <option key={ruleText(one)} value={place}>
            {dayWords(one)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The interval, such as "every 2 weeks", and its days. */
export function RepeatInterval({ rule, day, onChange }: Props) {
  const id = useId();
  return (
    <div className={styles.own}>
      <div className={styles.line}>
        <label htmlFor={id}>Every</label>
        <WholeNumber id={id} value={rule.interval} onChange={(interval) => onChange({ ...rule, interval })} />
        <select
          aria-label="Unit"
          value={rule.freq}
          onChange={({ target }) => onChange(withFrequency(rule, target.value as RepeatFrequency, day))}
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

/** When the rule ends: never, on a day, or after a number of times. */
export function RepeatEnd({ rule, today, onChange }: EndsProps) {
  const id = useId();
  const end = rule.until ? "until" : rule.count ? "count" : "never";
  const choose = (kind: string) =>
    onChange({
      ...withoutEnd(rule),
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
