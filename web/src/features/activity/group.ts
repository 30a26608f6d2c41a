import type { Activity } from "../../../../src/contract/activity.ts";
import { dayInZone } from "../../kit/dates.ts";
import { capitalized } from "../../kit/text.ts";

// Groups changes by day, and by actor within a day.

export type ActorGroup = { key: string; name: string; changes: Activity[] };
export type DayGroup = { day: string; groups: ActorGroup[] };

const ACTOR_NAMES: Record<Activity["actor"]["kind"], string> = {
  person: "you",
  api_key: "an app with an API key",
  assistant: "an assistant",
  import: "an import",
  service: "Commonplace",
};

/** Within a sentence: "you", "Claude", "an import" */
export const actorName = ({ kind, client_name }: Activity["actor"]): string =>
  kind === "person" || client_name === null ? ACTOR_NAMES[kind] : client_name;

/** Identifies who made a change; two programs may have the same name. */
export const actorKey = ({ kind, id, client_name }: Activity["actor"]): string =>
  kind === "person" ? kind : `${kind} ${id ?? client_name ?? ""}`;

const groupByActor = (all: readonly Activity[]): ActorGroup[] =>
  [...Map.groupBy(all, ({ actor }) => actorKey(actor))].map(([key, changes]) => ({
    key,
    name: changes[0] ? actorName(changes[0].actor) : "",
    changes,
  }));

/** Groups changes, newest first, by day in a time zone. */
export const groupByDay = (changes: readonly Activity[], timezone: string): DayGroup[] =>
  [...Map.groupBy(changes, ({ at }) => dayInZone(timezone, at))].map(([day, own]) => ({
    day,
    groups: groupByActor(own),
  }));

/**
 * "Claude changed 4 items", "You changed one item"
 *
 * @param isCut whether more changes may not be loaded yet
 */
export function headline({ name: who, changes }: ActorGroup, isCut = false): string {
  // The name of a program is written as it writes itself.
  const name = Object.values(ACTOR_NAMES).includes(who) ? capitalized(who) : who;
  const things = new Set(changes.map(({ kind, record_id }) => `${kind} ${record_id}`)).size;
  if (isCut) return `${name} changed at least ${things} ${things === 1 ? "item" : "items"}`;
  return `${name} changed ${things === 1 ? "one item" : `${things} items`}`;
}

/** Whether Undo is offered: not for undone changes, undos, permanently deleted items, or records whose snooze has ended. */
export const isUndoable = ({ title, verb, undoes, undone_by }: Activity): boolean =>
  title !== null && verb !== "woke" && undoes === null && undone_by === null;

const VERBS: Record<Activity["verb"], string> = {
  created: "Created",
  changed: "Changed",
  moved: "Moved",
  deleted: "Moved to the trash",
  restored: "Restored",
  resolved: "Resolved",
  deferred: "Deferred",
  archived: "Archived",
  reopened: "Reopened",
  confirmed: "Confirmed",
  superseded: "Replaced",
  woke: "Brought back",
};

type VerbFacts = Pick<Activity, "verb" | "kind" | "undoes" | "restored_version" | "again">;

export function verbText({ verb, kind, undoes, restored_version, again }: VerbFacts): string {
  if (again) return `${VERBS[verb]} again`;
  if (restored_version !== null && undoes === null) return `Restored version ${restored_version} of`;
  return verb === "deleted" && kind === "folder" ? "Deleted" : VERBS[verb];
}

const KINDS: Record<Activity["kind"], string> = { document: "Document", memory: "Record", folder: "Folder" };
export const kindName = (kind: Activity["kind"]): string => KINDS[kind];

export const changedItemUrl = ({ kind, record_id }: Pick<Activity, "kind" | "record_id">): string =>
  ({
    document: `/documents/${record_id}`,
    memory: `/records/${record_id}`,
    folder: `/documents?folder=${record_id}`,
  })[kind];
