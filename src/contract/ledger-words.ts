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

/** Reported only to synchronizing programs: an erasure, and a change of a link. Neither prevents an undo. */
export const SILENT = ["erased", "linked"] as const;
export type Verb = (typeof VERBS)[number] | (typeof SILENT)[number];

export const KINDS = ["document", "memory", "folder"] as const;
export type Kind = (typeof KINDS)[number];

/** Who makes a change: the person, a program with an API key, an MCP client, an import, or the service itself. */
export const ACTORS = ["person", "api_key", "assistant", "import", "service"] as const;
export type ActorKind = (typeof ACTORS)[number];
