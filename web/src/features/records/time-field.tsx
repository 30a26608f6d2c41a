import { parseTime, type Time } from "@internationalized/date";
import { useEffect, useState } from "react";
import { TimeField as AriaTimeField, DateInput, DateSegment } from "react-aria-components";
import { X } from "../../kit/icons.tsx";
import styles from "./plan.module.css";

const formatTime = (time: Time | null) => time?.toString().slice(0, "17:00".length) ?? null;
const toTime = (text: string | null) => (text ? parseTime(text) : null);

type Props = { time: string | null; onChange: (time: string | null) => void };

/** The time of a due date, in 24-hour format. It is saved on blur and on Enter. */
export function TimeField({ time, onChange }: Props) {
  const [value, setValue] = useState(toTime(time));
  useEffect(() => setValue(toTime(time)), [time]);
  const save = () => {
    if (formatTime(value) !== time) onChange(formatTime(value));
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
          if (key === "Escape") setValue(toTime(time));
        }}
      >
        <DateInput className={styles.segments}>
          {(segment) => <DateSegment segment={segment} className={styles.segment} />}
        </DateInput>
      </AriaTimeField>
      {time && (
        <button
          type="button"
          aria-label="Remove the time"
          title="Remove the time"
          onClick={() => onChange(null)}
        >
          <X />
        </button>
      )}
    </div>
  );
}
