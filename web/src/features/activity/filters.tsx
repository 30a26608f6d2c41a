import { useSearchParams } from "wouter";
import type { Activity } from "../../api/activity.ts";
import { Button } from "../../kit/button.tsx";
import styles from "../../kit/filters.module.css";
import { X } from "../../kit/icons.tsx";
import { Segments } from "../../kit/segments.tsx";
import { actorName, kindName } from "./group.ts";

const ACTORS = {
  all: "Everyone",
  person: "You",
  assistant: "Assistants",
  api_key: "API keys",
  import: "Imports",
};
const KINDS = { all: "Everything", document: "Documents", memory: "Records", folder: "Folders" };

type Actor = keyof typeof ACTORS;
type Kind = keyof typeof KINDS;

export type ActivityFilters = {
  actor: Actor;
  kind: Kind;
  /** Id of a connection or API key. */
  client: string | undefined;
  /** Id of a document, record or folder, depending on `kind`. */
  record: string | undefined;
};

const parseOption = <Value extends string>(
  values: Record<Value, string>,
  text: string | null,
): Value | "all" => (text !== null && Object.hasOwn(values, text) ? (text as Value) : "all");

/** The filters from the URL, and functions that change them. */
export function useFilters() {
  const [parameters, setParameters] = useSearchParams();
  const kind: Kind = parseOption(KINDS, parameters.get("kind"));
  const filters: ActivityFilters = {
    actor: parseOption(ACTORS, parameters.get("actor")),
    kind,
    client: parameters.get("client") || undefined,
    record: (kind !== "all" && parameters.get("record")) || undefined,
  };
  const set = (name: keyof ActivityFilters, value: string | undefined) =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete(name);
        if (name === "record") after.delete("kind");
        if (value && value !== "all") after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return { filters, set, clear: () => setParameters(new URLSearchParams(), { replace: true }) };
}

export const activityQuery = ({ actor, kind, client, record }: ActivityFilters) => ({
  actor: actor === "all" ? undefined : actor,
  kind: kind === "all" ? undefined : kind,
  client,
  record_id: record,
});

export const hasFilter = (filters: ActivityFilters): boolean =>
  Object.values(activityQuery(filters)).some((value) => value !== undefined);

const Chip = ({ text, onRemove }: { text: string; onRemove: () => void }) => (
  <button type="button" className={styles.chip} aria-label={`Remove filter: ${text}`} onClick={onRemove}>
    {text} <X size="0.875rem" />
  </button>
);

type Props = {
  filters: ActivityFilters;
  set: (name: keyof ActivityFilters, value: string | undefined) => void;
  /** The newest change shown, for the names of client and item. */
  newest: Activity | undefined;
  onUndoAll: (what: string) => void;
};

/** The filters; with a client filter, also a button that undoes everything the client changed. */
export function FiltersBar({ filters, set, newest, onUndoAll }: Props) {
  const { actor, kind, client, record } = filters;
  const name = newest ? actorName(newest.actor) : "this client";
  const title = newest?.title ?? (kind === "all" ? "" : `this ${kindName(kind).toLowerCase()}`);
  return (
    <div className={styles.bar}>
      {!client && (
        <Segments label="By" value={actor} options={ACTORS} onChange={(value) => set("actor", value)} />
      )}
      {!record && (
        <Segments label="Kind" value={kind} options={KINDS} onChange={(value) => set("kind", value)} />
      )}
      {client && <Chip text={`By ${name}`} onRemove={() => set("client", undefined)} />}
      {record && <Chip text={`Of “${title}”`} onRemove={() => set("record", undefined)} />}
      {client && newest && (
        <Button kind="danger" onPress={() => onUndoAll(`everything ${name} changed`)}>
          Undo everything…
        </Button>
      )}
    </div>
  );
}
