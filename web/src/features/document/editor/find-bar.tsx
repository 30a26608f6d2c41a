import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { ToggleButton } from "react-aria-components";
import { Button, IconButton } from "../../../kit/button.tsx";
import { ChevronDown, X } from "../../../kit/icons.tsx";
import type { ObservedEditor } from "./editor-observer.ts";
import styles from "./find-bar.module.css";
import { CaseSensitive, ChevronUp, Regex, WholeWord } from "./find-icons.ts";
import { MAX_COUNTED_MATCHES, type MatchCount, type SearchOptions } from "./search-options.ts";
import { useFinder } from "./use-finder.ts";

function matchCountText({ total, current }: MatchCount, isEmpty: boolean): string {
  if (isEmpty) return "";
  if (total === 0) return "No matches";
  if (total > MAX_COUNTED_MATCHES) return `More than ${MAX_COUNTED_MATCHES.toLocaleString("en")}`;
  if (current > 0) return `${current} of ${total}`;
  return total === 1 ? "1 match" : `${total} matches`;
}

type ToggleProps = { label: string; isOn: boolean; onChange: (isOn: boolean) => void; children: ReactNode };

const Toggle = ({ label, isOn, onChange, children }: ToggleProps) => (
  <ToggleButton aria-label={label} className={styles.toggle ?? ""} isSelected={isOn} onChange={onChange}>
    <span title={label}>{children}</span>
  </ToggleButton>
);

type FieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onEnter: (isBack: boolean) => void;
  field?: React.Ref<HTMLInputElement>;
};

const Field = ({ label, value, onChange, onEnter, field }: FieldProps) => (
  <input
    ref={field}
    aria-label={label}
    placeholder={label}
    value={value}
    autoComplete="off"
    spellCheck={false}
    enterKeyHint="search"
    onChange={({ target }) => onChange(target.value)}
    onKeyDown={(event) => {
      if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
      event.preventDefault();
      onEnter(event.shiftKey);
    }}
  />
);

type Props = ObservedEditor & {
  /** A new number focuses the field again. */
  findRequests: number;
  onClose: () => void;
};

/** Finds and replaces in the text. Enter goes to the next match, Escape returns to the text. */
export default function FindBar({ view, watched, findRequests, onClose }: Props) {
  const { options, setOptions, matches, isValid, finder } = useFinder({ view, watched });
  const [message, setMessage] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new request selects the field's text
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [findRequests]);
  const change = (part: Partial<SearchOptions>) => {
    setMessage("");
    setOptions(part);
  };
  const step = (isBack: boolean) => void (isBack ? finder?.previous() : finder?.next());
  const replaceEvery = () => {
    const count = finder?.replaceEvery() ?? 0;
    if (count > 0) setMessage(`${count > MAX_COUNTED_MATCHES ? "All" : count} replaced`);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  const status = isValid
    ? message || matchCountText(matches, options.search === "")
    : "Invalid regular expression";
  return (
    <search className={styles.bar} aria-label="Find and replace" onKeyDown={press}>
      <div className={styles.row}>
        <Field
          field={field}
          label="Find"
          value={options.search}
          onChange={(search) => change({ search })}
          onEnter={step}
        />
        <Toggle
          label="Match case"
          isOn={options.caseSensitive}
          onChange={(caseSensitive) => change({ caseSensitive })}
        >
          <CaseSensitive />
        </Toggle>
        <Toggle label="Whole words" isOn={options.wholeWord} onChange={(wholeWord) => change({ wholeWord })}>
          <WholeWord />
        </Toggle>
        <Toggle label="Regular expression" isOn={options.regexp} onChange={(regexp) => change({ regexp })}>
          <Regex />
        </Toggle>
        <IconButton label="Close" onPress={onClose}>
          <X aria-hidden="true" />
        </IconButton>
      </div>
      <div className={styles.row}>
        <Field
          label="Replace with"
          value={options.replace}
          onChange={(replace) => change({ replace })}
          onEnter={() => void finder?.replace()}
        />
        <Button onPress={() => void finder?.replace()}>Replace</Button>
        <Button onPress={replaceEvery}>All</Button>
      </div>
      <div className={styles.row}>
        <span role="status" className={styles.status}>
          {status}
        </span>
        <IconButton label="Previous match" onPress={() => step(true)}>
          <ChevronUp aria-hidden="true" />
        </IconButton>
        <IconButton label="Next match" onPress={() => step(false)}>
          <ChevronDown aria-hidden="true" />
        </IconButton>
      </div>
    </search>
  );
}
