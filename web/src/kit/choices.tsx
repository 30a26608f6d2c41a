import type { ReactNode } from "react";
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  Select as AriaSelect,
  CheckboxGroup,
  type CheckboxGroupProps,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
} from "react-aria-components";
import styles from "./choices.module.css";
import { Check, ChevronDown } from "./icons.tsx";

type Option<Value extends string> = { value: Value; text: string };

type SelectProps<Value extends string> = {
  label: string;
  value: Value;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
};

/** One of a few options. */
export const Select = <Value extends string>({ label, value, options, onChange }: SelectProps<Value>) => (
  <AriaSelect value={value} onChange={(key) => onChange(key as Value)} className={styles.select}>
    <Label>{label}</Label>
    <AriaButton className={styles.trigger}>
      <SelectValue />
      <ChevronDown />
    </AriaButton>
    <Popover className={styles.popover}>
      <ListBox>
        {options.map(({ value: id, text }) => (
          <ListBoxItem key={id} id={id} textValue={text} className={styles.option}>
            {text}
          </ListBoxItem>
        ))}
      </ListBox>
    </Popover>
  </AriaSelect>
);

type ChecksProps<Value extends string> = Omit<
  CheckboxGroupProps,
  "value" | "onChange" | "children" | "className"
> & {
  label: string;
  value: readonly Value[];
  options: readonly Option<Value>[];
  onChange: (value: Value[]) => void;
};

/** Any of a few options. */
export const Checks = <Value extends string>({ label, value, options, onChange }: ChecksProps<Value>) => (
  <CheckboxGroup value={[...value]} onChange={(next) => onChange(next as Value[])} className={styles.checks}>
    <Label>{label}</Label>
    {options.map(({ value: one, text }) => (
      <Checkbox key={one} value={one}>
        {text}
      </Checkbox>
    ))}
  </CheckboxGroup>
);

const Checkbox = ({ value, children }: { value: string; children: ReactNode }) => (
  <AriaCheckbox value={value} className={styles.check}>
    <span className={styles.box} aria-hidden="true">
      <Check />
    </span>
    {children}
  </AriaCheckbox>
);
