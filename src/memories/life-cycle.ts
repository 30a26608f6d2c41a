// The life of a memory record, as one table.

export const STATUSES = ["active", "deferred", "resolved", "archived"] as const;
export type Status = (typeof STATUSES)[number];

export const ACTIONS = ["resolve", "defer", "archive", "reopen", "confirm", "supersede"] as const;
export type Action = (typeof ACTIONS)[number];

/** What each action makes of a record in each state. What is not here is refused. */
export const TRANSITIONS: Record<Status, Partial<Record<Action, Status>>> = {
  active: {
    resolve: "resolved",
    defer: "deferred",
    archive: "archived",
    reopen: "active",
    confirm: "active",
    supersede: "archived",
  },
  deferred: {
    resolve: "resolved",
    defer: "deferred",
    archive: "archived",
    reopen: "active",
    supersede: "archived",
  },
  resolved: { resolve: "resolved", reopen: "active" },
  archived: { archive: "archived", reopen: "active" },
};

/** The past participle of an action: the name of its event. */
export const EVENT_OF = {
  resolve: "resolved",
  defer: "deferred",
  archive: "archived",
  reopen: "reopened",
  confirm: "confirmed",
  supersede: "superseded",
} as const satisfies Record<Action, string>;

/** The state that follows, or undefined when the action is not possible from here. */
export const stateAfter = (status: Status, action: Action): Status | undefined => TRANSITIONS[status][action];

/** Whether an action only says what already is. A confirmation always adds something: its date. */
export const changesNothing = (status: Status, action: Action): boolean =>
  action !== "confirm" && stateAfter(status, action) === status;

const article = (status: Status) => (/^[aeiou]/.test(status) ? "An" : "A");

/** Why an action is not possible from a state, and what is. */
export function refusalOf(status: Status, action: Action): string {
  const possible = ACTIONS.filter((other) => stateAfter(status, other) && !changesNothing(status, other));
  const listed = possible.map((other) => EVENT_OF[other]).join(", ");
  return `${article(status)} ${status} record cannot be ${EVENT_OF[action]}: from here it can be ${listed}`;
}

/** The part of a record that sleep concerns. */
type Sleeper = { status: Status; deferred_until: string | null; closed_at: string | null; version: number };

/** A deferred record whose day has come is active, whether or not anybody has written that down yet. */
export const isDue = (
  { status, deferred_until }: Pick<Sleeper, "status" | "deferred_until">,
  today: string,
): boolean => status === "deferred" && deferred_until !== null && deferred_until <= today;

/** The record as it is on this day. Waking is a change of its own, so the version moves. */
export const awake = <Row extends Sleeper>(row: Row, today: string): Row =>
  isDue(row, today)
    ? { ...row, status: "active", deferred_until: null, closed_at: null, version: row.version + 1 }
    : row;
