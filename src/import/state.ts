import { SECTIONS, type SectionName } from "../export/format.ts";
import type { Counts } from "./schema.ts";

/** What an import has done, and what it has to know of its last document to place the versions after it. */
export type State = {
  counts: Record<SectionName, Counts>;
  /** Under which id the last document was created; null where it was not. */
  document: string | null;
  /** Between which numbers the next version of the last document has to be. */
  versions: { after: number; before: number };
  /** The same of the last memory, for its events. */
  memory: number | null;
  /** The file's checksum, once it is whole. */
  sha256: string | null;
};

const none = (): Counts => ({ created: 0, overwritten: 0, skipped: 0, remapped: 0 });

export const NO_STATE: State = {
  counts: Object.fromEntries(SECTIONS.map((name) => [name, none()])) as Record<SectionName, Counts>,
  document: null,
  versions: { after: 0, before: Number.MAX_SAFE_INTEGER },
  memory: null,
  sha256: null,
};
