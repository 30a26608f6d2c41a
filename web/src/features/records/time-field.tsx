import { parseTime, type Time } from "@internationalized/date";
import { useEffect, useState } from "react";
import { TimeField as AriaTimeField, DateInput, DateSegment } from "react-aria-components";
import { X } from "../../kit/icons.tsx";
import styles from "./plan.module.css";

const textOf = (time: Time | null) => time?.toString().slice(0, "17:00".length) ?? null;
const timeOf = (text: string | null) => (text ? parseTime(text) : null);

type Props = { time: string | null; onChange: (time: string | null) => void };

/** The hour of a due date, of 24. It is saved when somebody has left the field or presses Enter. */
export function TimeField({ time, onChange }: Props) {
  const [value, setValue] = useState(timeOf(time));
  useEffect(() => setValue(timeOf(time)), [time]);
  const save = () => {
    if (textOf(value) !== time) onChange(textOf(value));
  };
  return (
    <div className={styles.time}>
      <AriaTimeField
        aria-label="Time"
        hourCycle={24}
        granularity="minute"
        shouldForceLeadingZeros
        value={value}
        onChange={setValue}
        onBlur={save}
        onKeyDown={({ key }) => {
          if (key === "Enter") save();
          if (key === "Escape") setValue(timeOf(time));
        }}
      >
        <DateInput className={styles.segments ?? ""}>
          {(segment) => <DateSegment segment={segment} className={styles.segment ?? ""} />}
        </DateInput>
      </AriaTimeField>
      {time && (
        <button
          type="button"
          aria-label="Without an hour"
          title="Without an hour"
          onClick={() => onChange(null)}
        >
          <X aria-hidden="true" />
        </button>
      )}
    </div>
  );
}
