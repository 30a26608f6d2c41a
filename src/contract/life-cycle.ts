/** How long documents and records stay in the trash. */
export const TRASH_DAYS = 30;

export const STATUSES = ["active", "deferred", "resolved", "archived"] as const;
export type LifeCycleStatus = (typeof STATUSES)[number];

export const ACTIONS = ["resolve", "defer", "archive", "reopen", "confirm", "supersede"] as const;
export type LifeCycleAction = (typeof ACTIONS)[number];

type Transitions = Partial<Record<LifeCycleAction, LifeCycleStatus>>;

const CLOSING: Transitions = {
  resolve: "resolved",
  defer: "deferred",
  archive: "archived",
  supersede: "archived",
};

const TRANSITIONS: Record<LifeCycleStatus, Transitions> = {
  active: { ...CLOSING, reopen: "active", confirm: "active" },
  deferred: { ...CLOSING, reopen: "active" },
  resolved: { resolve: "resolved", reopen: "active" },
  archived: { archive: "archived", reopen: "active" },
};

export const EVENT_BY_ACTION = {
  resolve: "resolved",
  defer: "deferred",
  archive: "archived",
  reopen: "reopened",
  confirm: "confirmed",
  supersede: "superseded",
} as const satisfies Record<LifeCycleAction, string>;

/** The status after an action; undefined if the action is not possible. */
export const statusAfter = (status: LifeCycleStatus, action: LifeCycleAction): LifeCycleStatus | undefined =>
  TRANSITIONS[status][action];

/** Whether an action has no effect. A confirmation always has one: it sets a date. */
export const changesNothing = (status: LifeCycleStatus, action: LifeCycleAction): boolean =>
  action !== "confirm" && statusAfter(status, action) === status;

const article = (status: LifeCycleStatus) => (/^[aeiou]/.test(status) ? "An" : "A");

/** The error message for an action that is not possible. It lists the possible ones. */
export function impossibleActionMessage(status: LifeCycleStatus, action: LifeCycleAction): string {
  const possible = ACTIONS.filter((other) => statusAfter(status, other) && !changesNothing(status, other));
  const listed = possible.map((other) => EVENT_BY_ACTION[other]).join(", ");
  return `${article(status)} ${status} record cannot be ${EVENT_BY_ACTION[action]}: it can only be ${listed}`;
}

/** SQL condition: the memory was deferred until a day, which may have come. */
export const hasWakeDaySql = (table = "memories"): string =>
  `${table}.status = 'deferred' AND ${table}.deferred_until IS NOT NULL`;

/** SQL expression: when the memory last had attention. While it is deferred until a day, `touched_at` is that day. */
export const lastAttendedSql = (table = "memories"): string =>
  `iif(${hasWakeDaySql(table)}, coalesce(${table}.renewed_at, ${table}.closed_at), ${table}.touched_at)`;

/**
 * SQL condition: the memory is deferred and its day has come. `touched_at` is the start of that day in the owner's time
 * zone. `now` is a parameter, so that D1 can reuse the compiled statement.
 */
export const hasWokenSql = (now: string, table = "memories"): string =>
  `(${hasWakeDaySql(table)} AND ${table}.touched_at <= ${now})`;
