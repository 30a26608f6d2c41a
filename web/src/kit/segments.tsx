import { Radio, RadioGroup } from "react-aria-components";
import styles from "./segments.module.css";

type Props<Value extends string> = {
  label: string;
  value: Value;
  /** Labels by value. */
  options: Record<Value, string>;
  onChange: (value: Value) => void;
};

/** A choice between a few values, all visible. */
export const Segments = <Value extends string>({ label, value, options, onChange }: Props<Value>) => (
  <RadioGroup
    aria-label={label}
    orientation="horizontal"
    value={value}
    onChange={(chosen) => onChange(chosen as Value)}
    className={styles.segments}
  >
    {Object.entries<string>(options).map(([one, name]) => (
      <Radio key={one} value={one} className={styles.segment}>
        {name}
      </Radio>
    ))}
  </RadioGroup>
);
