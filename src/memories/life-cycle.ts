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

/**
 * True in SQL for a record that was deferred until a day which has come: it is active, whether or not anybody has written
 * that down yet. `touched_at` of such a record is the beginning of its day in its owner's time zone, so that no time
 * zone has to be known here.
 *
 * @param now the time in SQL: a parameter rather than a literal, so that D1 need not compile the statement anew
 * @param of the table's alias
 */
export const awakeSql = (now: string, of = "memories"): string =>
  `(${of}.status = 'deferred' AND ${of}.deferred_until IS NOT NULL AND ${of}.touched_at <= ${now})`;
