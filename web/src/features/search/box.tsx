import type { KeyboardEvent, Ref } from "react";
import { Search, X } from "../../kit/icons.tsx";
import { isBackNavigation } from "../../state/list-positions.ts";
import styles from "./box.module.css";
import { focusFirstResult } from "./results.tsx";

type Props = {
  value: string;
  onChange: (value: string) => void;
  /** Called on blur. */
  onLeave: () => void;
  ref: Ref<HTMLInputElement>;
};

/** The search field. Arrow down and Enter focus the results; Escape clears the field, or leaves it when empty. */
export function SearchBox({ value, onChange, onLeave, ref }: Props) {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape" && value === "") event.currentTarget.blur();
    else if (event.key === "Escape") onChange("");
    else if (event.key === "ArrowDown" || event.key === "Enter") focusFirstResult();
    else return;
    event.preventDefault();
  };
  return (
    <search className={styles.box}>
      <Search size={20} />
      <input
        ref={ref}
        type="search"
        enterKeyHint="search"
        aria-label="Search documents and records"
        placeholder="Documents and records"
        autoComplete="off"
        spellCheck={false}
        maxLength={400}
        // biome-ignore lint/a11y/noAutofocus: people open this screen to type, but navigate back to it to read
        autoFocus={!isBackNavigation()}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={onLeave}
      />
      {value !== "" && (
        <button type="button" aria-label="Clear the search" onClick={() => onChange("")}>
          <X size={18} />
        </button>
      )}
    </search>
  );
}
