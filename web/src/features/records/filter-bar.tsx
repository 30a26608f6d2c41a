import { useEffect, useState } from "react";
import { ChevronDown, X } from "../../kit/icons.tsx";
import { STATUS_NAMES, TYPE_NAMES } from "../things/names.ts";
import styles from "./filter-bar.module.css";
import { DUE_NAMES, type RecordFilter, type RecordFilters, SORT_NAMES } from "./filters.ts";

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
      {!value && <ChevronDown aria-hidden="true" />}
    </label>
    {value && (
      <button type="button" aria-label={`Any ${label.toLowerCase()}`} onClick={() => set(name, "")}>
        <X aria-hidden="true" />
      </button>
    )}
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

/** The filters of the list. */
export const FilterBar = ({ filters, projects, set }: Props) => (
  <search className={styles.bar} aria-label="Filters">
    <Words q={filters.q} set={set} />
    <Chip label="Type" name="type" value={filters.type} options={TYPE_NAMES} any="Any type" set={set} />
    <Chip
      label="Status"
      name="status"
      value={filters.status === "all" ? "" : filters.status}
      options={STATUS_NAMES}
      any="Any status"
      set={(name, value) => set(name, value || "all")}
    />
    <Chip
      label="Project"
      name="project"
      value={filters.project}
      options={toOptions(projects)}
      any="Any project"
      set={set}
    />
    <Chip
      label="Scope"
      name="scope"
      value={filters.scope}
      options={{ work: "Work", personal: "Personal" }}
      any="Any scope"
      set={set}
    />
    <Chip label="Due date" name="due" value={filters.due} options={DUE_NAMES} any="Due any time" set={set} />
    {filters.tag && (
      <span className={styles.chip} data-on>
        <span className={styles.tag}>#{filters.tag}</span>
        <button type="button" aria-label={`Any tag instead of ${filters.tag}`} onClick={() => set("tag", "")}>
          <X aria-hidden="true" />
        </button>
      </span>
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
