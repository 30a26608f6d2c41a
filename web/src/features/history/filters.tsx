import { useSearchParams } from "wouter";
import type { HistoryQuery } from "../../../../src/contract/dashboard.ts";
import { FilterPicker } from "../../kit/filter-picker.tsx";
import styles from "../../kit/filters.module.css";
import { X } from "../../kit/icons.tsx";
import { Segments } from "../../kit/segments.tsx";
import { capitalized } from "../../kit/text.ts";
import { RECORD_TYPES } from "../things/names.ts";
import { projectNames, useSummary } from "../things/summary.ts";

export type HistoryFilters = Pick<HistoryQuery, "status" | "scope" | "project" | "memory_type">;

const STATUSES = { all: "All", resolved: "Resolved", deferred: "Deferred", archived: "Archived" };
const SCOPES = ["personal", "work"] as const;

const oneOf = <Value extends string>(values: readonly Value[], text: string | null): Value | undefined =>
  values.find((value) => value === text);

/** The filters and page in the URL, and functions to change them. A change of a filter resets the page. */
export function useHistoryFilters() {
  const [parameters, setParameters] = useSearchParams();
  const chosen: HistoryFilters = {
    status: oneOf(["resolved", "deferred", "archived"], parameters.get("status")),
    scope: oneOf(SCOPES, parameters.get("scope")),
    project: parameters.get("project") || undefined,
    memory_type: oneOf(RECORD_TYPES, parameters.get("type")),
  };
  const page = Math.max(1, Number.parseInt(parameters.get("page") ?? "1", 10) || 1);
  const set = (name: string, value: string | undefined) =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete("page");
        after.delete(name);
        if (value) after.set(name, value);
        return after;
      },
      { replace: name !== "page" },
    );
  return { chosen, page, set, clear: () => setParameters(new URLSearchParams(), { replace: true }) };
}

type SetParameter = (name: string, value: string | undefined) => void;

type FilterProps = {
  name: string;
  label: string;
  value: string | undefined;
  values: readonly string[];
  set: SetParameter;
};

/** A picker, or a chip that removes the chosen value. */
const Filter = ({ name, label, value, values, set }: FilterProps) => (
  <li>
    {value ? (
      <button type="button" className={styles.chip} onClick={() => set(name, undefined)}>
        <span className="visually-hidden">Remove the filter </span>
        {name}: <b>{value}</b> <X aria-hidden="true" size={14} />
      </button>
    ) : (
      <FilterPicker
        label={label}
        choices={values.map((one) => ({ value: one, name: name === "project" ? one : capitalized(one) }))}
        onPick={(picked) => set(name, picked)}
        empty="No projects yet."
      />
    )}
  </li>
);

export function Filters({ chosen, set }: { chosen: HistoryFilters; set: SetParameter }) {
  const projects = projectNames(useSummary().data);
  return (
    <div className={styles.bar}>
      <Segments
        label="Status"
        value={chosen.status ?? "all"}
        options={STATUSES}
        onChange={(status) => set("status", status === "all" ? undefined : status)}
      />
      <ul className={styles.filters} aria-label="Filters">
        <Filter name="type" label="Type" value={chosen.memory_type} values={RECORD_TYPES} set={set} />
        <Filter name="project" label="Project" value={chosen.project} values={projects} set={set} />
        <Filter name="scope" label="Scope" value={chosen.scope} values={SCOPES} set={set} />
      </ul>
    </div>
  );
}
