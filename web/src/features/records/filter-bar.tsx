import { useEffect, useState } from "react";
import { ChevronDown, X } from "../../kit/icons.tsx";
import styles from "./filter-bar.module.css";
import { FIELD_FILTERS, type RecordFilter, type RecordFilters, SORT_NAMES } from "./filters.ts";

type SetFilter = (name: RecordFilter, value: string) => void;

type ChipProps = {
  label: string;
  name: RecordFilter;
  value: string;
  options: Readonly<Record<string, string>>;
  /** The label when the filter is off. */
  any: string;
  set: SetFilter;
};

/** A filter as a chip: a list to choose from, and a button that removes it. */
const Chip = ({ label, name, value, options, any, set }: ChipProps) => (
  <span className={styles.chip} data-on={value !== "" || undefined}>
    <label>
      <span className="visually-hidden">{label}</span>
      <select value={value} onChange={({ target }) => set(name, target.value)}>
        <option value="">{any}</option>
        {value && !(value in options) && <option value={value}>{value}</option>}
        {Object.entries(options).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {!value && <ChevronDown />}
    </label>
    {value && (
      <button type="button" aria-label={`Any ${label.toLowerCase()}`} onClick={() => set(name, "")}>
        <X />
      </button>
    )}
  </span>
);

type SetChipProps = Pick<ChipProps, "name" | "value" | "set">;

/** A filter that a link has set, with a button that removes it. */
const SetChip = ({ name, value, set }: SetChipProps) => (
  <span className={styles.chip} data-on>
    <span className={styles.tag}>{name === "tag" ? `#${value}` : value}</span>
    <button type="button" aria-label={`Any ${name} instead of ${value}`} onClick={() => set(name, "")}>
      <X />
    </button>
  </span>
);

const TYPING_MS = 200;

/** Text to filter by; the list updates when typing pauses. */
function Words({ q, set }: { q: string; set: SetFilter }) {
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(() => set("q", text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, q, set]);
  return (
    <input
      type="search"
      className={styles.words}
      aria-label="Text in the record"
      placeholder="Filter by text…"
      maxLength={500}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  );
}

const toOptions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

type Props = { filters: RecordFilters; projects: readonly string[]; set: SetFilter };

export const FilterBar = ({ filters, projects, set }: Props) => (
  <search className={styles.bar} aria-label="Filters">
    <Words q={filters.q} set={set} />
    {FIELD_FILTERS.map(({ name, names, off = "", label, any }) =>
      names ? (
        <Chip
          key={name}
          label={label}
          name={name}
          value={filters[name] === off ? "" : filters[name]}
          options={names === "projects" ? toOptions(projects) : names}
          any={any}
          set={(chosen, value) => set(chosen, value || off)}
        />
      ) : (
        filters[name] && <SetChip key={name} name={name} value={filters[name]} set={set} />
      ),
    )}
    <label className={styles.sort}>
      Sort
      <select value={filters.sort} onChange={({ target }) => set("sort", target.value)}>
        {Object.entries(SORT_NAMES).map(([sort, text]) => (
          <option key={sort} value={sort}>
            {text}
          </option>
        ))}
      </select>
    </label>
  </search>
);
