import { EXPORT_SECTIONS } from "../../contract/export-format.ts";
import type { ImportCounts, NotStoredItems } from "../../contract/import-state.ts";
import type { QuotaUse } from "../billing/remaining-quota.ts";
import type { SectionName } from "../export/format.ts";

/** The progress of an import, with what is needed to apply the versions and events that follow a document or record. */
export type ImportState = {
  counts: Record<SectionName, ImportCounts>;
  /** The last document, if it was created. */
  document: string | null;
  /** Exclusive bounds for the next version number of the last document. */
  versions: { after: number; before: number };
  /** The last record, if it was created. */
  memory: number | null;
  memory_version: number;
  not_stored: NotStoredItems;
  added: QuotaUse;
  sha256: string | null;
};

const noCounts = (): ImportCounts => ({ created: 0, overwritten: 0, skipped: 0, remapped: 0 });

export const INITIAL_STATE: ImportState = {
  counts: Object.fromEntries(EXPORT_SECTIONS.map((name) => [name, noCounts()])) as Record<
    SectionName,
    ImportCounts
  >,
  document: null,
  versions: { after: 0, before: Number.MAX_SAFE_INTEGER },
  memory: null,
  memory_version: Number.MAX_SAFE_INTEGER,
  not_stored: { total: 0, items: [] },
  added: {},
  sha256: null,
};

/** Reads a stored state, which may be of an import that an earlier release started. */
export function readState(stored: string): ImportState {
  const state = { ...INITIAL_STATE, ...(JSON.parse(stored) as ImportState) };
  return { ...state, counts: { ...INITIAL_STATE.counts, ...state.counts } };
}
