export const SOURCE_TYPES = ["api", "mcp", "web", "import", "cli"] as const;

export const MEMORY_TYPES = [
  "commitment",
  "decision",
  "blocker",
  "pattern",
  "preference",
  "context",
] as const;

export const SCOPES = ["personal", "work"] as const;

/** What happened to a record, as its own history says it. */
export const EVENTS = [
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
