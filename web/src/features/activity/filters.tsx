import { useSearchParams } from "wouter";
import type { Activity } from "../../api/activity.ts";
import { Button } from "../../kit/button.tsx";
import styles from "../../kit/filters.module.css";
import { X } from "../../kit/icons.tsx";
import { Segments } from "../../kit/segments.tsx";
import { actorName, kindName } from "./group.ts";

const ACTORS = {
  all: "Everybody",
  person: "You",
  assistant: "Assistants",
  api_key: "API keys",
  import: "Imports",
};
const KINDS = { all: "Everything", document: "Documents", memory: "Records", folder: "Folders" };

type Actor = keyof typeof ACTORS;
type Kind = keyof typeof KINDS;

export type Filters = {
  actor: Actor;
  kind: Kind;
  /** A connection or an API key. */
  client: string | undefined;
  /** One document, record or folder; `kind` says which of them it is. */
  record: string | undefined;
};

const oneOf = <Value extends string>(values: Record<Value, string>, text: string | null): Value | "all" =>
  text !== null && Object.hasOwn(values, text) ? (text as Value) : "all";

/** What the address asks for, and how to change it. */
export function useFilters() {
  const [parameters, setParameters] = useSearchParams();
  const kind: Kind = oneOf(KINDS, parameters.get("kind"));
  const filters: Filters = {
    actor: oneOf(ACTORS, parameters.get("actor")),
    kind,
    client: parameters.get("client") || undefined,
    record: (kind !== "all" && parameters.get("record")) || undefined,
  };
  const set = (name: keyof Filters, value: string | undefined) =>
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

/** What the API is asked for. */
export const queryOf = ({ actor, kind, client, record }: Filters) => ({
  actor: actor === "all" ? undefined : actor,
  kind: kind === "all" ? undefined : kind,
  client,
  record_id: record,
});

export const isNarrow = (filters: Filters): boolean =>
  Object.values(queryOf(filters)).some((value) => value !== undefined);

const Chip = ({ text, onRemove }: { text: string; onRemove: () => void }) => (
  <button type="button" className={styles.chip} aria-label={`Remove the filter: ${text}`} onClick={onRemove}>
    {text} <X aria-hidden="true" size="0.875rem" />
  </button>
);

type Props = {
  filters: Filters;
  set: (name: keyof Filters, value: string | undefined) => void;
  /** The newest change that is shown: it knows the names. */
  newest: Activity | undefined;
  onUndoAll: (what: string) => void;
};

/** What narrows the list; where it shows one client, the way to undo all that this client did. */
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
        <Button kind="danger" onPress={() => onUndoAll(`everything that ${name} changed`)}>
          Undo everything…
        </Button>
      )}
    </div>
  );
}
