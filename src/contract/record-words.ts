export const SOURCE_TYPES = ["api", "mcp", "web", "import", "cli"] as const;

export const MEMORY_TYPES = [
  "commitment",
  "decision",
  "blocker",
  "pattern",
  "preference",
  "context",
] as const;

export const PRIORITIES = ["high", "normal", "low"] as const;

/** Whether the owner of the memory owes it, or it is owed to the owner. */
export const OWED_DIRECTIONS = ["by_me", "to_me"] as const;

export const MEMORY_SCOPES = ["personal", "work"] as const;

export const MEMORY_EVENTS = [
  "created",
  "updated",
  "resolved",
  "deferred",
  "archived",
  "reopened",
  "confirmed",
  "superseded",
  "woke",
] as const;

export const REPEATS_FROM = ["due", "done"] as const;

export const APPLIES_TO = ["this", "following"] as const;
