import type { Used } from "../billing/remaining-quota.ts";
import { SECTIONS, type SectionName } from "../export/format.ts";
import type { Counts, NotStored } from "../../contract/import-state.ts";

/** The progress of an import, and what it needs to know about its last document to apply the versions that follow. */
export type State = {
  counts: Record<SectionName, Counts>;
  /** The id under which the last document was created; null if it was not created. */
  document: string | null;
  /** The bounds (exclusive) of the number of the last document's next version. */
  versions: { after: number; before: number };
  /** The same for the last memory, for its events. */
  memory: number | null;
  /** The number of the last memory's version, which its events precede. */
  memory_version: number;
  /** What the account's plan had no room for. */
  not_stored: NotStored;
  /** What a dry run would have added so far. */
  added: Used;
  /** The file's checksum, once it is complete. */
  sha256: string | null;
};

const none = (): Counts => ({ created: 0, overwritten: 0, skipped: 0, remapped: 0 });

export const NO_STATE: State = {
  counts: Object.fromEntries(SECTIONS.map((name) => [name, none()])) as Record<SectionName, Counts>,
  document: null,
  versions: { after: 0, before: Number.MAX_SAFE_INTEGER },
  memory: null,
  memory_version: Number.MAX_SAFE_INTEGER,
  not_stored: { total: 0, items: [] },
  added: {},
  sha256: null,
};
