import {
  FileText,
  Gavel,
  Handshake,
  Info,
  type LucideIcon,
  OctagonAlert,
  Repeat,
  SlidersHorizontal,
} from "lucide-react";
import type { MemoryType } from "../../api.ts";

/** What a thing is: a document, or one of the six types of records. */
export type ThingKind = "document" | MemoryType;

const ICONS: Record<ThingKind, LucideIcon> = {
  document: FileText,
  commitment: Handshake,
  decision: Gavel,
  blocker: OctagonAlert,
  pattern: Repeat,
  preference: SlidersHorizontal,
  context: Info,
};

export const RECORD_TYPES = [
  "commitment",
  "decision",
  "blocker",
  "pattern",
  "preference",
  "context",
] as const;

/** "commitment" → "Commitment" */
export const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Decorative: the name of the kind is always said in text, too. */
export function KindIcon({ kind }: { kind: ThingKind }) {
  const Icon = ICONS[kind];
  return <Icon aria-hidden="true" size={18} />;
}
