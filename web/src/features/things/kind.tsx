import type { MemoryType } from "../../api/memories.ts";
import {
  FileText,
  Gavel,
  Handshake,
  type Icon,
  Info,
  OctagonAlert,
  Repeat,
  SlidersHorizontal,
} from "../../kit/icons.tsx";

/** What a thing is: a document, or one of the six types of records. */
export type ThingKind = "document" | MemoryType;

const ICONS: Record<ThingKind, Icon> = {
  document: FileText,
  commitment: Handshake,
  decision: Gavel,
  blocker: OctagonAlert,
  pattern: Repeat,
  preference: SlidersHorizontal,
  context: Info,
};

/** Whether a text names a kind of thing. */
export const isKind = (text: string): text is ThingKind => Object.hasOwn(ICONS, text);

/** Decorative: the name of the kind is always said in text, too. */
export function KindIcon({ kind }: { kind: ThingKind }) {
  const Icon = ICONS[kind];
  return <Icon aria-hidden="true" size={18} />;
}
