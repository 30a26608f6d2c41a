// The words of the ledger.

/** What happened to a record. A permanent deletion is `erased`, which only synchronizing programs are told. */
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
export type Verb = (typeof VERBS)[number] | "erased";

export const KINDS = ["document", "memory", "folder"] as const;
export type Kind = (typeof KINDS)[number];

/** Who makes a change: the person, a program with a key of theirs, an MCP client, an import, or the service by itself. */
export const ACTORS = ["person", "api_key", "assistant", "import", "service"] as const;
export type ActorKind = (typeof ACTORS)[number];
