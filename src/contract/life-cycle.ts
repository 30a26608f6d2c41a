export const STATUSES = ["active", "deferred", "resolved", "archived"] as const;
export type Status = (typeof STATUSES)[number];

export const ACTIONS = ["resolve", "defer", "archive", "reopen", "confirm", "supersede"] as const;
export type Action = (typeof ACTIONS)[number];

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

export const EVENT_OF = {
  resolve: "resolved",
  defer: "deferred",
  archive: "archived",
  reopen: "reopened",
  confirm: "confirmed",
  supersede: "superseded",
} as const satisfies Record<Action, string>;

/** The state after an action, or undefined if the action is not possible. */
export const stateAfter = (status: Status, action: Action): Status | undefined => TRANSITIONS[status][action];

/** Whether an action leaves a record as it is. A confirmation never does: it sets a date. */
export const changesNothing = (status: Status, action: Action): boolean =>
  action !== "confirm" && stateAfter(status, action) === status;

const article = (status: Status) => (/^[aeiou]/.test(status) ? "An" : "A");

/** The error text for an action that is not possible; it names those that are. */
export function refusalOf(status: Status, action: Action): string {
  const possible = ACTIONS.filter((other) => stateAfter(status, other) && !changesNothing(status, other));
  const listed = possible.map((other) => EVENT_OF[other]).join(", ");
  return `${article(status)} ${status} record cannot be ${EVENT_OF[action]}: from here it can be ${listed}`;
}

/** True in SQL for a record that was deferred until a day, which may have come. */
export const deferredUntilDay = (of = "memories"): string =>
  `${of}.status = 'deferred' AND ${of}.deferred_until IS NOT NULL`;

/** When a record was last attended to, in SQL: `touched_at` of one that waits for its day is that day. */
export const attendedSql = (of = "memories"): string =>
  `iif(${deferredUntilDay(of)}, coalesce(${of}.renewed_at, ${of}.closed_at), ${of}.touched_at)`;

/**
 * True in SQL for a deferred record whose day has come: `touched_at` is its beginning in the owner's time zone. `now` is
 * a parameter, so that D1 need not compile the statement again.
 */
export const awakeSql = (now: string, of = "memories"): string =>
  `(${deferredUntilDay(of)} AND ${of}.touched_at <= ${now})`;
