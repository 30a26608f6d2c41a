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

/** What only programs that synchronize are told: an erasure, and a change of a link. Neither hinders an undo. */
export const SILENT = ["erased", "linked"] as const;
export type Verb = (typeof VERBS)[number] | (typeof SILENT)[number];

export const KINDS = ["document", "memory", "folder"] as const;
export type Kind = (typeof KINDS)[number];

/** Who makes a change: the person, a program with a key of theirs, an MCP client, an import, or the service by itself. */
export const ACTORS = ["person", "api_key", "assistant", "import", "service"] as const;
export type ActorKind = (typeof ACTORS)[number];
