// The words of the ledger.

/** What happened to a record. */
export const VERBS = [
  "created",
  "changed",
  "moved",
  "deleted",
  "restored",
  "resolved",
  "deferred",
  "archived",
  "reopened",
  "confirmed",
  "superseded",
  "woke",
] as const;

/**
 * What only programs that synchronize are told: a permanent deletion, and that something changed with a record without
 * anybody having looked at it: a record which this one replaced, or which replaced it, was deleted or came back. Neither
 * stands in the way of an undo.
 */
export const SILENT = ["erased", "linked"] as const;
export type Verb = (typeof VERBS)[number] | (typeof SILENT)[number];

export const KINDS = ["document", "memory", "folder"] as const;
export type Kind = (typeof KINDS)[number];

/** Who makes a change: the person, a program with a key of theirs, an MCP client, an import, or the service by itself. */
export const ACTORS = ["person", "api_key", "assistant", "import", "service"] as const;
export type ActorKind = (typeof ACTORS)[number];
