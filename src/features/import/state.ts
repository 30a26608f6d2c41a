import type { Counts, NotStored } from "../../contract/import-state.ts";
import type { Used } from "../billing/remaining-quota.ts";
import { SECTIONS, type SectionName } from "../export/format.ts";

/** The progress of an import, with what is needed to apply the versions and events that follow a document or record. */
export type State = {
  counts: Record<SectionName, Counts>;
  /** The last document, if it was created. */
  document: string | null;
  /** Exclusive bounds for the next version number of the last document. */
  versions: { after: number; before: number };
  /** The last record, if it was created. */
  memory: number | null;
  memory_version: number;
  not_stored: NotStored;
  added: Used;
  sha256: string | null;
};

const noCounts = (): Counts => ({ created: 0, overwritten: 0, skipped: 0, remapped: 0 });

export const NO_STATE: State = {
  counts: Object.fromEntries(SECTIONS.map((name) => [name, noCounts()])) as Record<SectionName, Counts>,
  document: null,
  versions: { after: 0, before: Number.MAX_SAFE_INTEGER },
  memory: null,
  memory_version: Number.MAX_SAFE_INTEGER,
  not_stored: { total: 0, items: [] },
  added: {},
  sha256: null,
};

/** Reads a stored state, which may be of an import that an earlier release started. */
export function readState(stored: string): State {
  const state = { ...NO_STATE, ...(JSON.parse(stored) as State) };
  return { ...state, counts: { ...NO_STATE.counts, ...state.counts } };
}
