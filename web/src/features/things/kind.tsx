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

export const isThingKind = (text: string): text is ThingKind => Object.hasOwn(ICONS, text);

/** Decorative: the kind is always named in text as well. */
export function KindIcon({ kind }: { kind: ThingKind }) {
  const Icon = ICONS[kind];
  return <Icon aria-hidden="true" size={18} />;
}
