export const ACTIVITY_VERBS = [
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
export const SILENT_VERBS = ["erased", "linked"] as const;
export type ActivityVerb = (typeof ACTIVITY_VERBS)[number] | (typeof SILENT_VERBS)[number];

export const RECORD_KINDS = ["document", "memory", "folder"] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** Shown in place of the path of a folder that no longer exists. */
export const DELETED_FOLDER = "a deleted folder";

/** Who makes a change: the person, a program with an API key, an MCP client, an import, or the service itself. */
export const ACTOR_KINDS = ["person", "api_key", "assistant", "import", "service"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];
