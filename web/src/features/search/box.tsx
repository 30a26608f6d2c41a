import type { KeyboardEvent, Ref } from "react";
import { Search, X } from "../../kit/icons.tsx";
import { isWayBack } from "../../state/way-back.ts";
import styles from "./box.module.css";
import { focusFirst } from "./results.tsx";

type Props = {
  value: string;
  onChange: (value: string) => void;
  /** Called when the field is left. */
  onLeave: () => void;
  ref: Ref<HTMLInputElement>;
};

/** The field of the search. Arrow down and Enter lead to the results, Escape empties it, and leaves it when it is empty. */
export function SearchBox({ value, onChange, onLeave, ref }: Props) {
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape" && value === "") event.currentTarget.blur();
    else if (event.key === "Escape") onChange("");
    else if (event.key === "ArrowDown" || event.key === "Enter") focusFirst();
    else return;
    event.preventDefault();
  };
  return (
    <search className={styles.box}>
      <Search aria-hidden="true" size={20} />
      <input
        ref={ref}
        type="search"
        enterKeyHint="search"
        aria-label="Search documents and records"
        placeholder="Search documents and records"
        autoComplete="off"
        spellCheck={false}
        maxLength={400}
        // biome-ignore lint/a11y/noAutofocus: whoever comes here comes to type; whoever comes back, to read on
        autoFocus={!isWayBack()}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={press}
        onBlur={onLeave}
      />
      {value !== "" && (
        <button type="button" aria-label="Empty the field" onClick={() => onChange("")}>
          <X aria-hidden="true" size={18} />
        </button>
      )}
    </search>
  );
}
